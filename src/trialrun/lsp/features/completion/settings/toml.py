"""Where the cursor stands in a text of TOML, also in one that does not parse: its table, its key, its quotes."""

from __future__ import annotations

import re
from dataclasses import field

from trialrun.lazy_dataclass import dataclass

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BLANK_ON_LINE = re.compile(r"[ \t]*")
_COMMENT = re.compile(r"#[^\n]*")
_KEY_PART = re.compile(r"""[ \t]*(?:"(?:\\.|[^"\\\n])*("|(?=\n)|\Z)|'[^'\n]*('|(?=\n)|\Z)|[\w./*-]*)[ \t]*""")
_LONG = re.compile(r'("{3}|\'{3})[\s\S]*?(?:\1|\Z)')
_QUOTED = re.compile(r"""(?:"(?:\\.|[^"\\\n])*|'[^'\n]*)""")
_BARE = re.compile(r"""[^\s,\]}#"'\[{=]*""")
_VALUE = re.compile(r"=[ \t]*(\S)")
_NEXT = re.compile(r"""\n[ \t]*(?:\[{1,2}[ \t]*[\w."-]+[ \t]*\]|["']?[\w./*-]+["']?[ \t]*=)""")
MAX_DEPTH = 20
MAX_KEY_LENGTH = 200


@dataclass(slots=True)
class TomlPosition:
    """What the cursor is in: a key or a value of a table, or the name of a table.

    `start` and `end` are the characters of its word without quotes, `quote` the one that stands before it; `is_open`
    says that this is not closed. `keys` lead from the table to a value, `there` are the texts of the list it is in,
    `tail` is the comma that is missing behind it. `value` is the first character of what a key has already.
    """

    table: tuple[str, ...]
    part: int
    kind: str
    start: int
    end: int
    quote: str = ""
    is_open: bool = False
    keys: tuple[str, ...] = ()
    in_list: bool = False
    value: str = ""
    there: list[str] = field(default_factory=list)
    tail: str = ""


class TomlCursor:
    """One pass over a text: `place` is where the cursor is, `keys` has those of each table by its number,
    `tables` their names."""

    def __init__(self, text: str, offset: int) -> None:
        self.text = text
        self.offset = offset
        self.at = 0
        self.table: tuple[str, ...] = ()
        self.part = 0
        self.position: TomlPosition | None = None
        self.keys: dict[tuple[int, tuple[str, ...]], set[str]] = {}
        self.tables: list[tuple[str, ...]] = [()]
        while self.at < len(text):
            before = self.at
            self._statement()
            if self.at == before:
                self.at += 1
        if self.position is None and offset == len(text) and self._begins_its_line(offset):
            self.position = TomlPosition(self.table, self.part, "key", offset, offset)

    def part_of(self, table: tuple[str, ...]) -> int:
        """The number of a table; -1 where there is none of that name."""
        return self.tables.index(table) if table in self.tables else -1

    def _begins_its_line(self, at: int) -> bool:
        return not self.text[self.text.rfind("\n", 0, at) + 1 : at].strip()

    def _skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return match[0]

    def _letter(self) -> str:
        return self.text[self.at : self.at + 1]

    def _statement(self) -> None:
        start = self.at
        self._skip(_BLANK_ON_LINE)
        letter = self._letter()
        if letter == "#":
            self._skip(_COMMENT)
        elif letter in ("\r", "\n"):
            if start <= self.offset <= self.at and self._begins_its_line(start):
                self._found("key", self.offset, self.offset)
            self.at += 1
        elif letter == "[":
            self._header()
        elif letter:
            self._entry(())

    def _found(self, kind: str, start: int, end: int, **further: object) -> None:
        if self.position is None and start <= self.offset <= end:
            self.position = TomlPosition(self.table, self.part, kind, start, end, **further)  # type: ignore[arg-type]

    def _header(self) -> None:
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        start = self.at
        end = min(at if (at := self.text.find(sign, start)) >= 0 else len(self.text) for sign in ("]", "\n"))
        name = self.text[start:end]
        self._found("tables" if brackets == 2 else "table", start, start + len(name.rstrip("\r")))
        self.table = tuple(part.strip(" \t\"'\r") for part in name.split("."))
        self.part += 1
        self.tables.append(self.table)
        line = self.text.find("\n", end)
        self.at = len(self.text) if line < 0 else line + 1

    def _key(self, above: tuple[str, ...]) -> tuple[str, ...]:
        """A key, of several parts where there are dots; the cursor may be in its last one."""
        start = self.at
        written = self._skip(_KEY_PART)
        bare = written.strip(" \t")
        first = start + len(written) - len(written.lstrip(" \t"))
        quote = bare[:1] if bare[:1] in ("'", '"') else ""
        is_open = bool(quote) and (len(bare) < 2 or bare[-1] != quote)
        inner = bare[1:] if is_open else bare[1:-1] if quote else bare
        value = _VALUE.match(self.text, self.at)
        begin = first + len(quote)
        self._found(
            "key", begin, begin + len(inner), quote=quote, is_open=is_open, keys=above, value=value[1] if value else ""
        )
        name = (inner,) if quote else tuple(inner.split("."))
        self.keys.setdefault((self.part, above), set()).add(name[0])
        return name

    def _entry(self, above: tuple[str, ...], depth: int = 0) -> None:
        name = self._key(above)
        if self._letter() != "=":
            if not above:
                self._skip(re.compile(r"[^\n]*"))
            return
        self.at += 1
        self._skip(_BLANK_ON_LINE)
        self._value((*above, *name), depth, [], in_list=False)

    def _value(self, keys: tuple[str, ...], depth: int, there: list[str], *, in_list: bool) -> None:
        letter = self._letter()
        if depth > MAX_DEPTH:
            self._skip(re.compile(r"[^\n]*"))
        elif letter == "[":
            self._list(keys, depth)
        elif letter == "{":
            self._inline_table(keys, depth)
        elif self.text[self.at : self.at + 3] in ('"""', "'''"):
            self._skip(_LONG)
        elif letter in ('"', "'"):
            start, body = self.at + 1, self._skip(_QUOTED)
            is_open = self._letter() != letter or not letter
            self.at += not is_open
            there.append(body[1:])
            end = start + len(body) - 1
            self._found("value", start, end, quote=letter, is_open=is_open, keys=keys, in_list=in_list, there=there)
        else:
            start = self.at
            self._skip(_BARE)
            self._found("value", start, self.at, keys=keys, in_list=in_list, there=there)

    def _list(self, keys: tuple[str, ...], depth: int) -> None:
        self.at += 1
        there: list[str] = []
        while self._continues():
            self._between(keys, there)
            if self._letter() in ("]", ""):
                self.at += 1
                return
            before = self.at
            if self._letter() != ",":
                self._value(keys, depth + 1, there, in_list=True)
            self.at += self.at == before

    def _continues(self) -> bool:
        """Whether the next line is no header and no key, which are never in a list."""
        match = _BLANK.match(self.text, self.at)
        assert match is not None
        following = _NEXT.search(self.text, self.at, match.end() + MAX_KEY_LENGTH)
        if following is None or following.start() >= match.end():
            return True
        self.at = following.start()
        return False

    def _between(self, keys: tuple[str, ...], there: list[str]) -> None:
        """The blanks before an item or a comma, where one more item may stand."""
        start = self.at
        self._skip(_BLANK)
        comment_completions = "#" in self.text[start : self.offset].rpartition("\n")[2]
        lacks_comma = self._letter() not in (",", "]", "")
        follows = self.text[start - 1 : start] in ("[", ",")
        if follows and start <= self.offset <= self.at - lacks_comma and not comment_completions:
            position = TomlPosition(
                self.table, self.part, "value", self.offset, self.offset, keys=keys, in_list=True, there=there
            )
            position.tail = "," * lacks_comma
            self.position = self.position or position

    def _inline_table(self, keys: tuple[str, ...], depth: int) -> None:
        self.at += 1
        while self._letter() not in ("}", "\n", "\r", ""):
            before = self.at
            self._entry(keys, depth + 1)
            self._skip(_BLANK_ON_LINE)
            self.at += self._letter() == ","
            self.at += self.at == before
        if self._letter() == "}":
            self.at += 1
