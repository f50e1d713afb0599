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
from string import Template
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
SMALL_DEPTH = 3
"""The depth from which the parts of a packed section are small."""


def page_html(title: str, sections: Iterable[tuple[str, Any]], *, live: bool = False) -> Iterator[str]:
    """The parts of the page of a workspace; without sections and `live`, it asks its server for them.

    A section becomes text before the next one is made. The last one is the first on the page.
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
    *others, first = list(map(_section_html, sections)) or [""]
    yield head
    yield first
    yield from (f"\n{other}" for other in others)
    yield tail


def _section_html(named: tuple[str, Any]) -> str:
    name, section = named
    return f'<script type="application/json" id="data-{name}">{embedded_json(pack(section))}</script>'


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


def pack(section: Any) -> dict[str, Any]:
    """The section with every repeated part written once: what a page embeds is a third of its size.

    It is `{"table": [...], "root": ...}`. In both, the text `$12` stands for entry 12 of the table, whose entries name
    only earlier ones. A text that begins with `$` has one more. The script of the page puts the parts back, as one
    object for equal parts.
    """
    packer = _Packer()
    root = packer.number(section)
    table: list[Any] = []
    places: dict[int, int] = {}
    for part in range(len(packer.parts)):
        if packer.uses[part] > 1 and packer.sizes[part] >= MIN_SIZE:
            entry = packer.write(part, places)
            places[part] = len(table)
            table.append(entry)
    return {"table": table, "root": packer.write(root, places)}


class _Packer:
    """Gives equal parts one number, with their sizes and how often they are used in others."""

    def __init__(self) -> None:
        self._ids: dict[Any, int] = {}
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.parts: list[Any] = []
        self.sizes, self.uses = array("q"), array("q")

    def number(self, value: Any) -> int:
        """The number of a part; those inside of it have lower ones."""
        size, inner = 4, list[int]()
        key: Any
        if isinstance(value, dict):
            inner = [self.number(part) for part in value.values()]
            names = tuple(value)
            key = ("{", self._names.setdefault(names, names), *inner)
            size = 2 + sum(len(name) + 4 + self.sizes[part] for name, part in zip(names, inner, strict=True))
        elif isinstance(value, (list, tuple)):
            inner = [self.number(part) for part in value]
            key, size = ("[", *inner), 2 + sum(1 + self.sizes[part] for part in inner)
        else:
            key = (type(value), repr(value), value) if isinstance(value, float) else (type(value), value)
            size = 2 + len(value) if isinstance(value, str) else 4
        if key not in self._ids:
            self._ids[key] = len(self.parts)
            self.parts.append(key)
            self.sizes.append(size)
            self.uses.append(0)
            for part in inner:
                self.uses[part] += 1
        return self._ids[key]

    def write(self, part: int, places: dict[int, int]) -> Any:
        """A part, with references to those that have places in the table."""
        if part in places:
            return f"{REFERENCE}{places[part]}"
        key = self.parts[part]
        if key[0] == "{":
            return {name: self.write(inner, places) for name, inner in zip(key[1], key[2:], strict=True)}
        if key[0] == "[":
            return [self.write(inner, places) for inner in key[1:]]
        value = key[-1]
        return f"{REFERENCE}{value}" if isinstance(value, str) and value.startswith(REFERENCE) else value


def embedded_json(value: Any) -> str:
    """A value as the text of a script element: nothing in it ends the element, or starts another."""
    return "".join(
        escape_for_programs(text).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        for text in _json_texts(value, SMALL_DEPTH)
    )


def _json_texts(value: Any, depth: int) -> Iterator[str]:
    """The JSON of a value in parts: the encoder makes a text of each scalar before it makes one of all."""
    if depth == 0 or not value or not isinstance(value, (dict, list)):
        yield json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return
    entries = value.items() if isinstance(value, dict) else (("", item) for item in value)
    begin, end = "{}" if isinstance(value, dict) else "[]"
    for name, inner in entries:
        yield f"{begin}{json.dumps(name, ensure_ascii=False)}:" if isinstance(value, dict) else begin
        yield from _json_texts(inner, depth - 1)
        begin = ","
    yield end
