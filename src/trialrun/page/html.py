"""The page as one HTML file: its style, its script and its data inside, nothing else allowed by its policy."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from itertools import islice
from string import Template
from types import GeneratorType
from typing import Any

from trialrun.report.json import escape_for_programs
from trialrun.report.terminal_width import escape_controls

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "assets")
SCRIPTS = (
    "dom", "format", "data", "parts", "overview", "effective", "stores", "upsells", "views", "changes", "findings",
    "scenarios", "router",
)  # fmt: skip
"""The files of the script, in the order in which they are put together."""
LIVE_SCRIPTS = ("request", "playground", "search", "server")
"""The files that only the page of a server has, before the last one of the others."""
MARK = "<!-- trialrun report -->"
"""The second line of a page, by which a command knows that it may write over it."""
MIN_SIZE = 12
"""Characters of a text, a message or a list, as JSON, that is worth an entry."""
REFERENCE = "$"
JOINED = 100
"""Texts of a section that are kept as one."""
LARGE_DEPTH = 2
"""The depth from which the parts of a section are small."""


def page_html(title: str, sections: Iterable[tuple[str, PackedSection]], *, live: bool = False) -> Iterator[str]:
    """The parts of the page of a workspace; without sections and `live`, it asks its server for them.

    A section becomes texts before the next one is made. The last one is the first on the page.
    """
    around = {
        "mark": MARK,
        "title": escape(escape_controls(title)),
        "policy": escape(content_security_policy(live=live), quote=False),
        "style": _style(live),
        "script": _script(live),
        "live": "live" if live else "file",
    }
    head, tail = (Template(part).substitute(around) for part in _asset("page.html").split("$data"))
    *others, first = map(_section_html, sections) if sections else ([],)
    yield head
    yield from first
    for other in others:
        yield "\n"
        yield from other
    yield tail


def _section_html(named: tuple[str, PackedSection]) -> list[str]:
    """The texts of a section: a single rare character would widen one large text, and many small ones take more."""
    name, section = named
    texts = section.embedded_json()
    joined = iter(lambda: "".join(islice(texts, JOINED)), "")
    return [f'<script type="application/json" id="data-{name}">', *joined, "</script>"]


def content_security_policy(*, live: bool = False) -> str:
    """What the page may load: its own style and script by their hashes, and the endpoints of its server if `live`."""
    rules: Mapping[str, Sequence[str]] = {
        "default-src": ["'none'"],
        "style-src": [_hash(_style(live))],
        "script-src": [_hash(_script(live))],
        **({"connect-src": ["'self'"]} if live else {}),
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(f"{name} {' '.join(values)}" for name, values in rules.items())


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _style(live: bool) -> str:
    return _asset("page.css") + (_asset("live.css") if live else "")


@cache
def _script(live: bool) -> str:
    """The files of the script as one, which shares nothing with the page around it."""
    names = (*SCRIPTS[:-1], *LIVE_SCRIPTS, SCRIPTS[-1]) if live else SCRIPTS
    parts = (_asset(os.path.join("script", f"{name}.js")) for name in names)
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


@cache
def _asset(name: str) -> str:
    """A file of ours, without indentation and the lines that are comments of a script."""
    with open(os.path.join(FOLDER, name), encoding="utf-8") as stream:
        lines = (line.strip() for line in stream)
        return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


class PackedSection:
    """A section with every repeated part written once: what a page embeds is a third of its size.

    It is `{"table": [...], "root": ...}`. In both, the text `$12` stands for entry 12 of the table, whose entries name
    only earlier ones. A text that begins with `$` has one more. The script of the page puts the parts back, as one
    object for equal parts. Equal parts have one number, those inside of a part lower ones; the section is not kept. In
    place of a list, a generator may give its items, which are not kept either.
    """

    def __init__(self, section: Any) -> None:
        self._sizes, self._uses = array("q"), array("q")
        ids: dict[Any, int] = {}
        names: dict[tuple[str, ...], int] = {}
        self._root = self._number(section, ids, names)
        self._parts, self._names = list(ids), list(names)
        self._places: dict[int, int] = {}

    def to_object(self) -> dict[str, Any]:
        """The packed section as one object."""
        return {"table": list(self._table()), "root": self._write(self._root)}

    def embedded_json(self) -> Iterator[str]:
        """The texts that are its JSON in a script element: nothing in them ends the element, or starts another."""
        for text in self._texts():
            yield escape_for_programs(text).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")

    def _texts(self) -> Iterator[str]:
        begin = '{"table":['
        for entry in self._table():
            yield begin + _json(entry)
            begin = ","
        yield '],"root":' if begin == "," else f'{begin}],"root":'
        yield from self._texts_of(self._root, LARGE_DEPTH)
        yield "}"

    def _number(self, value: Any, ids: dict[Any, int], names: dict[tuple[str, ...], int]) -> int:
        """The number of a part: by its text, by type and value, or by the numbers of what is in it as bytes."""
        size, inner = 4, array("I")
        key: Any
        if isinstance(value, dict):
            inner.extend(self._number(part, ids, names) for part in value.values())
            fields = tuple(value)
            key = b"{" + array("I", (names.setdefault(fields, len(names)),)).tobytes() + inner.tobytes()
            size = 2 + sum(len(name) + 4 + self._sizes[part] for name, part in zip(fields, inner, strict=True))
        elif isinstance(value, (list, tuple, GeneratorType)):
            inner.extend(self._number(part, ids, names) for part in value)
            key, size = b"[" + inner.tobytes(), 2 + sum(1 + self._sizes[part] for part in inner)
        elif isinstance(value, str):
            key, size = value, 2 + len(value)
        else:
            key = (type(value), repr(value), value) if isinstance(value, float) else (type(value), value)
        if key not in ids:
            ids[key] = len(ids)
            self._sizes.append(size)
            self._uses.append(0)
            for part in inner:
                self._uses[part] += 1
        return ids[key]

    def _table(self) -> Iterator[Any]:
        """The parts that are worth an entry; from then on they are referred to."""
        self._places = {}
        for part, (uses, size) in enumerate(zip(self._uses, self._sizes, strict=True)):
            if uses > 1 and size >= MIN_SIZE:
                yield self._write(part)
                self._places[part] = len(self._places)

    def _write(self, part: int) -> Any:
        """A part, with references to those that have places in the table."""
        if part in self._places:
            return f"{REFERENCE}{self._places[part]}"
        key = self._parts[part]
        if isinstance(key, bytes):
            names, inner = self._contents(key)
            items = [self._write(each) for each in inner]
            return items if names is None else dict(zip(names, items, strict=True))
        if isinstance(key, str):
            return f"{REFERENCE}{key}" if key.startswith(REFERENCE) else key
        return key[-1]

    def _contents(self, key: bytes) -> tuple[tuple[str, ...] | None, array[int]]:
        """The names of the fields of a message, None for a list, and the numbers of what is in it."""
        inner = array("I", key[1:])
        return (self._names[inner[0]], inner[1:]) if key.startswith(b"{") else (None, inner)

    def _texts_of(self, part: int, depth: int) -> Iterator[str]:
        """The JSON of a part that has no place in the table, or stands at a depth from which parts are small."""
        key = self._parts[part]
        if not depth or part in self._places or not isinstance(key, bytes):
            yield _json(self._write(part))
            return
        names, inner = self._contents(key)
        begin, end = "[]" if names is None else "{}"
        for number, each in enumerate(inner):
            yield begin if names is None else f"{begin}{_json(names[number])}:"
            yield from self._texts_of(each, depth - 1)
            begin = ","
        yield end if inner else begin + end


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
