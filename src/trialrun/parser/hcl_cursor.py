"""A place in a text of HCL: its blanks, comments and words, as templates and expressions read them."""

from __future__ import annotations

import re

from trialrun.parser.hcl_syntax import Expression, HclError

_blanks = re.compile(r"(?:[ \t]+|\r(?=\n))*").match
_blank_lines = re.compile(r"(?:[ \t\n]+|\r(?=\n))*").match
_line_end = re.compile(r"\r?\n|\Z").search
_word = re.compile(r"[A-Za-z_\x80-\U0010ffff][-0-9A-Za-z_\x80-\U0010ffff]*").match


class Cursor:
    """A place in a text, at which expressions are read.

    `in_brackets` says that line breaks are blank here; `end` is where the last term ends. `open_heredocs` are the
    markers that were not found.
    """

    def __init__(self, text: str, at: int = 0) -> None:
        self.text = text
        self.at = at
        self.end = at
        self.depth = 0
        self.in_brackets = False
        self.comments: dict[int, int] = {}
        self.open_heredocs: set[str] = set()

    def skip(self) -> str:
        """Go to the next character that is neither blank nor in a comment; it is empty at the end of the text."""
        while True:
            match = (_blank_lines if self.in_brackets else _blanks)(self.text, self.at)
            self.at = at = match.end() if match else self.at
            sign = self.text[at : at + 1]
            if sign != "#" and (sign != "/" or self.text[at + 1 : at + 2] not in ("/", "*")):
                return sign
            if self.text.startswith("/*", at):
                self.at = self.text.find("*/", at + 2) + 2
                if self.at == 1:
                    self.at = len(self.text)
                    raise HclError(at, "the comment is not closed; add */", at + 2)
            else:
                line_end = _line_end(self.text, at)
                self.at = line_end.start() if line_end else len(self.text)
            self.comments[at] = self.at

    def word(self) -> str:
        """Read an identifier; it is empty where none is."""
        match = _word(self.text, self.at)
        word = match[0] if match else ""
        if not word.isascii() and not word.replace("-", "_").isidentifier():
            length = next(
                n for n in range(len(word)) if not f"{'_' * (n > 0)}{word[n]}".replace("-", "_").isidentifier()
            )
            word = word[:length]
        self.at += len(word)
        return word

    def keyword(self, keyword: str) -> bool:
        """Read a certain word if it is the next one."""
        self.skip()
        start = self.at
        if self.word() == keyword:
            return True
        self.at = start
        return False

    def need(self, sign: str) -> None:
        """Read a certain character."""
        if self.skip() != sign:
            raise HclError(self.at, f"{sign} is missing")
        self.at += 1

    def loop(self) -> Expression:
        """Read the variables of a `for`, and the collection, which is returned."""
        for _ in range(2):
            self.skip()
            if not self.word():
                raise HclError(self.at, "the name of a variable is missing behind for")
            if self.skip() != ",":
                break
            self.at += 1
        if not self.keyword("in"):
            raise HclError(self.at, "in is missing")
        self.skip()
        return self.expression()

    def expression(self) -> Expression:
        """Read an expression, and the blanks that follow it."""
        raise NotImplementedError
