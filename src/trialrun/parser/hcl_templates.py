"""Read the words, comments and texts of HCL: quotes and heredocs, their escapes, sequences and directives, and where
each character is.

Texts are in NFC, as the values of Terraform are; escapes count in quotes alone, `$${` and `%%{` in heredocs too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from trialrun.parser.hcl_syntax import Expression, HclError, Template, TemplateSequence, TemplateText

Segment = tuple[str, int, int]
"""One character of a text, and its start and end in the file."""

_blanks = re.compile(r"(?:[ \t]+|\r(?=\n))*").match
_blank_lines = re.compile(r"(?:[ \t\n]+|\r(?=\n))*").match
_line_end = re.compile(r"\r?\n|\Z").search
_word = re.compile(r"[A-Za-z_\x80-\U0010ffff][-0-9A-Za-z_\x80-\U0010ffff]*").match
_plain = re.compile(r'"([^"\\$%\r\n]*)"').match
_quoted_run = re.compile(r'(?:[^"\\$%\r\n]+|\\[^\r\n]|\$\$\{|%%\{|[$%](?!\{))*').match
_heredoc_run = re.compile(r"(?:[^$%\r\n]+|\$\$\{|%%\{|[$%](?!\{))*(?:\r?\n)?").match
_text_run = re.compile(r"(?:[^$%]+|\$\$\{|%%\{|[$%](?!\{))+").match
_header = re.compile(r"<<(-?)([A-Za-z_\x80-\U0010ffff][-0-9A-Za-z_\x80-\U0010ffff]*)\r?\n").match
_quoted_escape = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|([$%])\4\{", re.S)
_heredoc_escape = re.compile(r"()()()([$%])\4\{")
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}


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


def quoted(reader: Cursor) -> Template:
    """Read a text in quotes. Raises HclError."""
    start = reader.at
    if match := _plain(reader.text, start):
        reader.at = match.end()
        return Template(start, match.end(), nfc(match[1]))
    parts = _Parts(reader, is_heredoc=False)
    reader.at += 1
    while not reader.text.startswith('"', reader.at):
        match = _quoted_run(reader.text, reader.at)
        if match and match[0]:
            parts.add_text(match)
        elif reader.text.startswith(("${", "%{"), reader.at):
            parts.add_sequence()
        else:
            raise HclError(start, "the quote is not closed on its line", reader.at)
    reader.at += 1
    return parts.template(start)


def heredoc(reader: Cursor) -> Template:
    """Read a heredoc up to its marker, which stands alone on a line. Raises HclError."""
    start = reader.at
    header = _header(reader.text, start)
    if header is None:
        raise HclError(start, "unexpected '<'; write a value")
    end = re.compile(rf"^[ \t]*{re.escape(header[2])}[ \t]*(?=\r?\n)", re.M)
    parts = _Parts(reader, is_heredoc=True)
    text, reader.at = reader.text, header.end()
    is_closed = header[2] not in reader.open_heredocs and end.search(text, reader.at) is not None
    while is_closed and (text[reader.at - 1] != "\n" or parts.ends_in_sequence() or not end.match(text, reader.at)):
        match = _heredoc_run(text, reader.at)
        if match and match[0]:
            parts.add_text(match)
        elif is_closed := text.startswith(("${", "%{"), reader.at):
            parts.add_sequence()
    if not is_closed:
        reader.open_heredocs.add(header[2])
        raise HclError(start, f"the heredoc is not closed; add a line {header[2]}", header.end(2))
    if header[1]:
        parts.remove_indentation()
    reader.at = text.index(header[2], reader.at) + len(header[2])
    return parts.template(start)


def unquoted(reader: Cursor) -> Template:
    """Read a whole text as a template without escapes, as in the JSON syntax. Raises HclError."""
    parts = _Parts(reader, is_heredoc=True)
    while reader.at < len(reader.text):
        if reader.text.startswith(("${", "%{"), reader.at):
            parts.add_sequence()
        elif match := _text_run(reader.text, reader.at):
            parts.add_text(match)
    return parts.template(0)


class _Parts:
    """The parts of a template while it is read; `open` are its directives that want an end."""

    def __init__(self, reader: Cursor, *, is_heredoc: bool) -> None:
        self.reader = reader
        self.is_heredoc = is_heredoc
        self.parts: list[TemplateText | TemplateSequence] = []
        self.open: list[str] = []
        self.strips_next = False

    def ends_in_sequence(self) -> bool:
        """Whether the last part is a sequence: its own line breaks start no line of the text."""
        return bool(self.parts) and isinstance(self.parts[-1], TemplateSequence)

    def add_text(self, match: re.Match[str]) -> None:
        """Add the characters up to the next sequence."""
        text = match[0]
        if "\\" in text or "{" in text:
            text = "".join([piece[0] for piece in _unescape(text, match.start(), is_heredoc=self.is_heredoc)])
        text = nfc(text)
        self.parts.append(TemplateText(*match.span(), text.lstrip() if self.strips_next else text))
        self.strips_next = False
        self.reader.at = match.end()

    def add_sequence(self) -> None:
        """Add a `${…}` or `%{…}`; a `~` in it takes the blanks beside it away."""
        reader, start = self.reader, self.reader.at
        outer, reader.in_brackets = reader.in_brackets, True
        reader.at += 2
        if reader.text.startswith("~", reader.at):
            reader.at += 1
            if self.parts and isinstance(last := self.parts[-1], TemplateText):
                last.text = last.text.rstrip()
        expression: Expression | None = None
        if reader.text[start] == "$":
            reader.skip()
            expression = reader.expression()
        else:
            self._directive(start)
        self.strips_next = reader.skip() == "~"
        reader.at += self.strips_next
        if not reader.text.startswith("}", reader.at):
            raise HclError(start, "the sequence is not closed; add a }", reader.at)
        reader.at += 1
        reader.in_brackets = outer
        self.parts.append(TemplateSequence(start, reader.at, expression))

    def _directive(self, start: int) -> None:
        reader = self.reader
        reader.skip()
        keyword = reader.word()
        expected = {"else": ["if"], "endif": ["if", "else"], "endfor": ["for"]}.get(keyword)
        if keyword == "if":
            reader.skip()
            reader.expression()
        elif keyword == "for":
            reader.loop()
        elif expected is None:
            raise HclError(start, "a directive starts with if, else, endif, for or endfor", reader.at)
        elif not self.open or self.open.pop() not in expected:
            raise HclError(start, f"{keyword} has no {expected[0]} before it", reader.at)
        if not keyword.startswith("end"):
            self.open.append(keyword)

    def remove_indentation(self) -> None:
        """Take the least indentation away from all lines, as `<<-` says; lines of blanks alone keep theirs."""
        lines: list[TemplateText] = []
        least: list[int] = []
        for index, part in enumerate(self.parts):
            before = self.parts[index - 1]
            if index and (isinstance(before, TemplateSequence) or not before.text.endswith("\n")):
                continue
            if isinstance(part, TemplateSequence):
                least.append(0)
            elif part.text.strip() or not part.text.endswith("\n"):
                lines.append(part)
                least.append(len(part.text) - len(part.text.lstrip()))
        width = min(least, default=0)
        for line in lines:
            line.text = line.text[width:]
            line.start += width

    def template(self, start: int) -> Template:
        """The template from its start to the place of the reader."""
        if self.open:
            raise HclError(start, f"a %{{{self.open[-1]}}} has no end", self.reader.at)
        texts = [part.text for part in self.parts if isinstance(part, TemplateText)]
        text = "".join(texts) if len(texts) == len(self.parts) else None
        return Template(start, self.reader.at, text, self.parts, self.is_heredoc)


def template_segments(source: str, template: Template) -> list[Segment]:
    """The characters of the text of a template, but for its sequences, each with its place in the source."""
    if not template.parts:
        quotes = 1 if source.startswith('"', template.start) else 0
        inside = source[template.start + quotes : template.end - quotes]
        return _nfc_segments([(char, at, at + 1) for at, char in enumerate(inside, template.start + quotes)])
    segments: list[Segment] = []
    for part in template.parts:
        if isinstance(part, TemplateText):
            raw = source[part.start : part.end]
            pieces = _nfc_segments(_unescape(raw, part.start, is_heredoc=template.is_heredoc))
            first = max("".join([piece[0] for piece in pieces]).find(part.text), 0)
            segments += pieces[first : first + len(part.text)]
    return segments


def _unescape(raw: str, start: int, *, is_heredoc: bool) -> list[Segment]:
    """The characters of a text that starts at an offset, escapes resolved. Raises HclError."""
    segments: list[Segment] = []
    at = 0
    for match in (_heredoc_escape if is_heredoc else _quoted_escape).finditer(raw):
        segments += [(char, start + n, start + n + 1) for n, char in enumerate(raw[at : match.start()], at)]
        places = start + match.start(), start + match.end()
        at = match.end()
        if match[4]:
            segments += [(match[4], *places), ("{", *places)]
            continue
        code = int(match[1] or match[2] or "0", 16)
        char = _ESCAPES.get(match[3] or "", "") or (
            chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
        )
        if match[3] not in (None, *_ESCAPES) or not char:
            raise HclError(places[0], f"{match[0]} is not an escape; write \\\\ for a backslash", places[1])
        segments.append((char, *places))
    segments += [(char, start + n, start + n + 1) for n, char in enumerate(raw[at:], at)]
    return segments


def nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _nfc_segments(segments: list[Segment]) -> list[Segment]:
    """The same text in NFC: what is composed of several characters has the places of all of them."""
    if all(piece[0].isascii() for piece in segments):
        return segments
    return [(char, start, end) for text, start, end in _clusters(segments) for char in nfc(text)]


def _clusters(segments: list[Segment]) -> Iterator[Segment]:
    """The shortest runs of characters that are normalized by themselves."""
    text, start, end = "", 0, 0
    for char, at, after in segments:
        joins = unicodedata.combining(char) or (not char.isascii() and nfc(text + char) != nfc(text) + nfc(char))
        if text and not joins:
            yield text, start, end
            text = ""
        text, start, end = text + char, start if text else at, after
    if text:
        yield text, start, end
