"""Completion in the settings, `trialrun.toml` and `[tool.trialrun]` of `pyproject.toml`: tables, keys and values."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.cursor import range_of
from trialrun.lsp.features.completion.rules import laws
from trialrun.lsp.features.completion.settings import known
from trialrun.lsp.features.completion.settings.toml import Place, Toml
from trialrun.lsp.features.completion.snippets import MEANT, STOP, snippet
from trialrun.lsp.results import Completion, CompletionKind
from trialrun.text import Source, Span

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import Live

PYPROJECT = "pyproject.toml"
IN_PYPROJECT = ("tool", "trialrun")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_REST = re.compile(r"[^\s,\]}\"'=#]*")


def in_settings(live: Live, source: Source, offset: int) -> Iterator[Completion]:
    """What may be written in a settings file at an offset."""
    toml = Toml(source.text, offset)
    place = toml.place
    if place is None:
        return
    above = IN_PYPROJECT if os.path.basename(source.path) == PYPROJECT else ()
    if place.sort in ("table", "tables"):
        yield from _headers(source, toml, place, above)
    elif place.table[: len(above)] == above:
        table = place.table[len(above) :]
        folder = os.path.dirname(os.path.abspath(source.path))
        if place.sort == "key":
            yield from _keys(live, source, toml, place, (*table, *place.keys))
        else:
            yield from _values(live, source, place, (*table, *place.keys), folder)


def _headers(source: Source, toml: Toml, place: Place, above: tuple[str, ...]) -> Iterator[Completion]:
    """The names of tables that are not there yet, or of those that there may be several of."""
    names = known.LISTED if place.sort == "tables" else known.HEADERS
    span = range_of(source, Span(place.start, place.end))
    keys = toml.keys.get((place.part + 1, ()), set())
    for number, name in enumerate(names):
        whole = (*above, *name.split("."))
        is_free = place.sort == "tables" or not _is_there(toml, above, name, place)
        if is_free and all(known.setting(whole[len(above) :], key) for key in keys):
            detail = known.TABLES[()][name].detail if name in known.TABLES[()] else ""
            yield Completion(".".join(whole), "field", ".".join(whole), span, f"{number:04}", detail)


def _is_there(toml: Toml, above: tuple[str, ...], name: str, place: Place) -> bool:
    """Whether a table stands in the text already, by a header of its own or as a key; of an override, in the last."""
    own = source_of_header(toml, place)
    if "." in name:
        whole, override = (*above, *name.split(".")), (*above, "overrides")
        since = next((at for at in range(place.part, -1, -1) if toml.tables[at] == override), None)
        return since is None or whole in [table for table in toml.tables[since : place.part + 2] if table != own]
    keys = toml.keys.get((toml.part_of(above), ()), set())
    return name in keys or any(table[: len(above) + 1] == (*above, name) for table in toml.tables if table != own)


def source_of_header(toml: Toml, place: Place) -> tuple[str, ...] | None:
    """The table whose header the cursor is in."""
    if place.sort not in ("table", "tables"):
        return None
    return tuple(part.strip(" \t\"'") for part in toml.text[place.start : place.end].split("."))


def _keys(live: Live, source: Source, toml: Toml, place: Place, table: tuple[str, ...]) -> Iterator[Completion]:
    word = source.text[place.start : place.end]
    there = toml.keys.get((place.part, place.keys), set()) - {word}
    above = place.table[: len(place.table) - len(table) + len(place.keys)]
    span = range_of(source, Span(place.start, place.end + (bool(place.quote) and not place.is_open)))
    for number, (key, detail, kind) in enumerate(_known_keys(live, source, table, word)):
        of = known.setting(table, key)
        if (
            key in there
            or (not table and _is_there(toml, above, key, place))
            or not _takes(of, place, is_same=key == word)
        ):
            continue
        quote = place.quote or ("" if _BARE.fullmatch(key) else '"')
        text = ("" if place.quote else quote) + key + quote
        further = "" if place.value else _behind(of, live)
        about = ("rule", key) if kind == "rule" else ()
        written = snippet(text + further)
        yield Completion(key, kind, written, span, f"{number:04}", detail, about, is_snippet=STOP[0] in further)


def _takes(of: known.Setting | None, place: Place, *, is_same: bool) -> bool:
    """Whether a setting takes the value that a key has already."""
    return not place.value or is_same or (of is not None and of.sort == "list" and place.value == "[")


def _known_keys(
    live: Live, source: Source, table: tuple[str, ...], word: str
) -> Iterator[tuple[str, str, CompletionKind]]:
    folder = os.path.dirname(os.path.abspath(source.path))
    if table in known.SEVERITIES_OF:
        yield from ((rule, law, "rule") for rule, law in known.rules(live, folder, word))
    elif table == known.KINDS_OF:
        yield from ((glob, what, "file") for glob, what in known.files(live, folder, word))
    else:
        yield from ((key, one.detail, "field") for key, one in known.TABLES.get(table, {}).items())


def _behind(of: known.Setting | None, live: Live) -> str:
    """What stands behind the name of a setting."""
    if of is None:
        return " = "
    match of.sort:
        case "list":
            return f' = ["{STOP}"]'
        case "number":
            return f" = {MEANT.format(next(of.values(live, '', ''), ('0', ''))[0] if of.values else '0')}"
        case "table":
            return f" = {{ {STOP} }}"
        case "tables":
            return f" = [{{ {STOP} }}]"
    words = [word for word, _ in of.values(live, "", "")] if of in (known.SEVERITY, known.KIND) and of.values else []
    return f' = "{MEANT.format("|" + ",".join(words) + "|") if words else STOP}"'


def _values(live: Live, source: Source, place: Place, keys: tuple[str, ...], folder: str) -> Iterator[Completion]:
    """The words that a setting may be, in the quotes that stand around them or in those that they need."""
    of = known.setting(keys[:-1], keys[-1])
    if of is None or of.values is None:
        return
    end = place.end
    word = source.text[place.start : end]
    if place.quote and place.is_open:
        end = place.start + len(_REST.match(source.text, place.start)[0])  # type: ignore[index]
    span = range_of(source, Span(place.start, max(end, place.start)))
    wrapped = of.sort == "list" and not place.in_list
    for number, (value, detail) in enumerate(of.values(live, folder, word)):
        if value in place.there and value != word:
            continue
        text = value if place.quote or of.sort == "number" else f'"{value}"'
        kind: CompletionKind = "rule" if of.values is known.rules or value in laws(live) else "value"
        about = ("rule", value) if kind == "rule" else ()
        yield Completion(
            value, kind, f"[{text}]" if wrapped else text + place.tail, span, f"{number:04}", detail, about
        )
