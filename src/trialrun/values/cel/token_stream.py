"""A position in the tokens of a text, and the problems reported while parsing them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from trialrun.values.cel.identifiers import NAME
from trialrun.values.cel.syntax_tree import Node
from trialrun.values.cel.tokens import Token
from trialrun.values.problem import Problem

CLOSING = {"(": ")", "[": "]", "{": "}"}


class ParseStopped(Exception):
    """Parsing ends here and the problem is reported; it never leaves `parse`."""


class TokenStream:
    """The next token, the problems so far, and the engine's types by place."""

    def __init__(self, text: str, tokens: list[Token], types: Mapping[int, str], problems: list[Problem]) -> None:
        self.text, self.tokens, self.types, self.problems = text, tokens, types, problems
        self.place = self.depth = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def is_next(self, *words: str) -> bool:
        kind, text, _, _ = self.tokens[self.place]
        return text in words and kind == "operator"

    def take(self) -> Token:
        token = self.tokens[self.place]
        self.place += 1
        return token

    def stop(
        self,
        token: Token,
        message: str,
        replacement: str | None = None,
        stand_in: tuple[int, int, str] | None = None,
    ) -> ParseStopped:
        # an open quote swallows the rest: what is cut off there is not missing
        if self.next.kind not in ("cut", "stray") and not any(
            problem.end == token.end > token.start for problem in self.problems
        ):
            self.report(token, message, replacement, stand_in)
        return ParseStopped()

    def report(
        self,
        token: Token,
        message: str,
        replacement: str | None = None,
        stand_in: tuple[int, int, str] | None = None,
    ) -> int:
        """Report a problem at a token; the place of it among the problems."""
        self.problems.append(Problem("syntax", token.start, token.end, message, replacement, None, stand_in))
        return len(self.problems) - 1

    def set_replacement(self, problem_index: int, replacement: str, replaces: tuple[int, int]) -> None:
        """Set the replacement of a reported problem, once its range is known."""
        self.problems[problem_index] = replace(
            self.problems[problem_index], replacement=replacement, replaced_range=replaces
        )

    def corrected_text(self, start: int, end: int) -> str:
        """The text between two places with the slips in it put right."""
        pieces, position = [], start
        for problem in sorted(self.problems, key=lambda problem: problem.start):
            first, last = problem.replaced_range or (problem.start, problem.end)
            if problem.replacement is not None and position <= first and last <= end:
                pieces += [self.text[position:first], problem.replacement]
                position = last
        return "".join([*pieces, self.text[position:end]])

    def unclosed(self, opening: Token) -> ParseStopped:
        """A bracket that nothing closes; reading goes on as if all that are open were closed at the end."""
        open_ones: list[str] = []
        for token in self.tokens:
            if token.kind == "operator" and token.text in CLOSING:
                open_ones.append(CLOSING[token.text])
            elif token.kind == "operator" and token.text in open_ones[-1:]:
                open_ones.pop()
        end = len(self.text)
        message = f'"{opening.text}" is not closed; add "{CLOSING[opening.text]}"'
        return self.stop(opening, message, stand_in=(end, end, "".join(reversed(open_ones))))

    def unexpected(self, token: Token) -> ParseStopped:
        before = self.tokens[self.place - 1]
        if token.kind in ("name", "string") and before.kind == "string" and before.end == token.start:
            return self._text_ended_by_quote(before)
        following = self.tokens[self.place + 1].kind if token.kind != "end" else "end"
        if token.kind == "name" and following in ("name", "string", "int", "uint", "float"):
            return self.stop(token, f'"{token.text}" is not an operator of CEL; a function is written a.f(b)')
        if token.text == ",":
            return self.stop(token, '"," only separates arguments and items; write && or, in a number, a point')
        return self.stop(token, f'an operator is missing before {token.text}; put one there, such as "&&"')

    def _text_ended_by_quote(self, literal: Token) -> ParseStopped:
        """An apostrophe such as that of 'Ben's Fries', after which nothing is read as it was meant."""
        quote, end = literal.text[-1], literal.end
        self.problems[:] = [problem for problem in self.problems if problem.start < end]
        message = f"this {'apostrophe' if quote == chr(39) else 'quote'} ends the text {literal.text}; write "
        closing = re.compile(rf"{quote}(?=[\s)\]}},&|=!<>?:+]|\Z)").search(self.text, end)
        if closing is None or literal.text[0] != quote:
            self.problems.append(Problem("syntax", end - 1, end, f"{message}\\{quote} inside of it"))
            return ParseStopped()
        inner = self.text[literal.start + 1 : closing.start()].replace(2 * quote, quote)
        other = '"' if quote == "'" else "'"
        escaped = quote + inner.replace(quote, f"\\{quote}") + quote
        intended = escaped if other in inner else other + inner + other
        place = (literal.start, closing.end())
        self.problems.append(Problem("syntax", end - 1, end, message + intended, intended, place))
        return ParseStopped()

    def missing_value(self, token: Token) -> ParseStopped:
        before = self.tokens[self.place - 1] if self.place else None
        if token.kind == "end" and before:
            if before.text in CLOSING:
                return self.unclosed(before)
            return self.stop(before, f'"{before.text}" has no value after it; write one')
        if token.kind == "quoted":
            plain = token.text.strip("`") if NAME.match(token.text.strip("`")) else None
            return self.stop(token, f"only a field is written in backticks; write {plain or 'a name'}", plain)
        return self.stop(token, f'a value is missing before "{token.text}"; write one')

    def node(
        self,
        kind: str,
        mark: Token,
        start: int,
        end: int,
        *,
        children: tuple[Node, ...] = (),
        name_token: Token | None = None,
        receiver: bool = False,
        optional: bool = False,
    ) -> Node:
        """A part at the engine's place for it, the mark's, with its type; it is named as the mark, or as `named`."""
        name = name_token or mark
        text = name.text.strip("`") if name.kind == "quoted" else name.text
        type_name = self.types.get(mark.start, "dyn")
        return Node(
            kind, text, start, end, mark.start, name.start, name.end, children, None, type_name, receiver, optional
        )
