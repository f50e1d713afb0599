"""Completion in the settings: keys, ids of rules, severities and kinds, in `trialrun.toml` and `pyproject.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from trialrun.lint.settings.shape import KEYS, OF_PATHS, OPTIONS, SEVERITIES
from trialrun.lsp.answer import Completion, CompletionKind
from trialrun.lsp.features.completion.cursor import range_of
from trialrun.lsp.features.completion.rules import laws
from trialrun.model.kinds import KINDS
from trialrun.text import Source, Span

if TYPE_CHECKING:
    from trialrun.workspace.live import Live

PYPROJECT = "pyproject.toml"
IN_PYPROJECT = "tool.trialrun"
OF_RULES = ("select", "ignore", "rule")
WORDS = (*(word for word in SEVERITIES), "off")
_HEADER = re.compile(r"^[ \t]*\[{1,2}[ \t]*([\w.\" -]+?)[ \t]*\]{1,2}[ \t]*(?:#.*)?$", re.MULTILINE)
_KEY = re.compile(r"[ \t]*([\w-]*)\Z")
_VALUE = re.compile(r"""^[ \t]*["']?([^\s"'=]+)["']?[ \t]*=[ \t]*(\[[^\]]*|["']?[\w-]*)\Z""", re.MULTILINE)
_LAST = re.compile(r"""(["']?)([\w-]*)\Z""")
_REST = re.compile(r"[\w-]*")
_KEYS: Mapping[str, tuple[str, ...]] = {
    "": KEYS,
    "overrides": ("paths", *OF_PATHS),
    "ignore": ("path", "pointer", "rule", "reason", "until"),
    "options": tuple(OPTIONS),
    "overrides.options": tuple(OPTIONS),
}

Offered = tuple[CompletionKind, Mapping[str, str]]


def in_settings(live: Live, source: Source, offset: int) -> Iterator[Completion]:
    """What may be written in a settings file at an offset."""
    table, start = _table(source, offset)
    if table is None:
        return
    before = source.text[start:offset]
    line = before[before.rfind("\n") + 1 :]
    value = _VALUE.search(before)
    if value is not None:
        yield from _written(source, offset, _values(live, table, value[1]), line, is_value=True)
    elif _KEY.match(line):
        yield from _written(source, offset, _keys(live, table), line)


def _table(source: Source, offset: int) -> tuple[str | None, int]:
    """The table in which an offset is, from that of our settings, and where it begins; None in one of others."""
    name, start = "", 0
    for match in _HEADER.finditer(source.text, 0, offset):
        name, start = match[1].replace('"', ""), match.end()
    if not source.path.endswith(PYPROJECT):
        return name, start
    if name != IN_PYPROJECT and not name.startswith(IN_PYPROJECT + "."):
        return None, start
    return name[len(IN_PYPROJECT) + 1 :], start


def _keys(live: Live, table: str) -> Offered:
    if table.rpartition(".")[2] == "severity":
        return "rule", laws(live)
    return "field", dict.fromkeys(_KEYS.get(table, ()), "")


def _values(live: Live, table: str, key: str) -> Offered:
    if table.rpartition(".")[2] == "severity":
        return "value", dict.fromkeys(WORDS, "")
    if table == "kinds":
        return "value", dict.fromkeys(KINDS, "")
    if key in OF_RULES and table in ("", "overrides", "ignore"):
        return "rule", laws(live)
    return "value", {}


def _written(
    source: Source, offset: int, offered: Offered, line: str, *, is_value: bool = False
) -> Iterator[Completion]:
    """Words in place of the one at the cursor; a value that has no quotes gets them."""
    last, rest = _LAST.search(line), _REST.match(source.text, offset)
    assert last is not None and rest is not None
    place = range_of(source, Span(offset - len(last[2]), rest.end()))
    kind, words = offered
    for number, (word, told) in enumerate(words.items()):
        text = word if last[1] else f'"{word}"' if is_value else f"{word} = "
        yield Completion(word, kind, text, place, f"{number:04}", told)
