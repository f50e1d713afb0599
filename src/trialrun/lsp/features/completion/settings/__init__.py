"""Completion in the settings, `trialrun.toml` and `[tool.trialrun]` of `pyproject.toml`: tables, keys and values."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.cursor import range_of
from trialrun.lsp.features.completion.rules import rule_summaries
from trialrun.lsp.features.completion.settings import known
from trialrun.lsp.features.completion.settings.toml import TomlCursor, TomlPosition
from trialrun.lsp.features.completion.snippets import CHOICE_STOP, STOP, number_tab_stops
from trialrun.lsp.results import Completion, CompletionKind
from trialrun.text import Source, Span

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace

PYPROJECT = "pyproject.toml"
IN_PYPROJECT = ("tool", "trialrun")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_REST = re.compile(r"[^\s,\]}\"'=#]*")


def settings_completions(workspace: OpenWorkspace, source: Source, offset: int) -> Iterator[Completion]:
    """What may be written in a settings file at an offset."""
    toml = TomlCursor(source.text, offset)
    position = toml.position
    if position is None:
        return
    above = IN_PYPROJECT if os.path.basename(source.path) == PYPROJECT else ()
    if position.kind in ("table", "tables"):
        yield from _headers(source, toml, position, above)
    elif position.table[: len(above)] == above:
        table = position.table[len(above) :]
        folder = os.path.dirname(os.path.abspath(source.path))
        if position.kind == "key":
            yield from _keys(workspace, source, toml, position, (*table, *position.keys))
        else:
            yield from _values(workspace, source, position, (*table, *position.keys), folder)


def _headers(source: Source, toml: TomlCursor, position: TomlPosition, above: tuple[str, ...]) -> Iterator[Completion]:
    """The names of tables that are not there yet, or of those that there may be several of."""
    names = known.LISTED if position.kind == "tables" else known.HEADERS
    span = range_of(source, Span(position.start, position.end))
    keys = toml.keys.get((position.part + 1, ()), set())
    for number, name in enumerate(names):
        whole = (*above, *name.split("."))
        is_free = position.kind == "tables" or not _is_there(toml, above, name, position)
        if is_free and all(known.setting(whole[len(above) :], key) for key in keys):
            detail = known.TABLES[()][name].detail if name in known.TABLES[()] else ""
            yield Completion(".".join(whole), "field", ".".join(whole), span, f"{number:04}", detail)


def _is_there(toml: TomlCursor, above: tuple[str, ...], name: str, position: TomlPosition) -> bool:
    """Whether a table stands in the text already, by a header of its own or as a key; of an override, in the last."""
    own = source_of_header(toml, position)
    if "." in name:
        whole, override = (*above, *name.split(".")), (*above, "overrides")
        since = next((at for at in range(position.part, -1, -1) if toml.tables[at] == override), None)
        return since is None or whole in [table for table in toml.tables[since : position.part + 2] if table != own]
    keys = toml.keys.get((toml.part_of(above), ()), set())
    return name in keys or any(table[: len(above) + 1] == (*above, name) for table in toml.tables if table != own)


def source_of_header(toml: TomlCursor, position: TomlPosition) -> tuple[str, ...] | None:
    """The table whose header the cursor is in."""
    if position.kind not in ("table", "tables"):
        return None
    return tuple(part.strip(" \t\"'") for part in toml.text[position.start : position.end].split("."))


def _keys(
    workspace: OpenWorkspace, source: Source, toml: TomlCursor, position: TomlPosition, table: tuple[str, ...]
) -> Iterator[Completion]:
    word = source.text[position.start : position.end]
    there = toml.keys.get((position.part, position.keys), set()) - {word}
    above = position.table[: len(position.table) - len(table) + len(position.keys)]
    span = range_of(source, Span(position.start, position.end + (bool(position.quote) and not position.is_open)))
    for number, (key, detail, kind) in enumerate(_known_keys(workspace, source, table, word)):
        of = known.setting(table, key)
        if (
            key in there
            or (not table and _is_there(toml, above, key, position))
            or not _takes(of, position, is_same=key == word)
        ):
            continue
        quote = position.quote or ("" if _BARE.fullmatch(key) else '"')
        text = ("" if position.quote else quote) + key + quote
        further = "" if position.value else _behind(of, workspace)
        data = ("rule", key) if kind == "rule" else ()
        written = number_tab_stops(text + further)
        yield Completion(key, kind, written, span, f"{number:04}", detail, data, is_snippet=STOP[0] in further)


def _takes(of: known.Setting | None, position: TomlPosition, *, is_same: bool) -> bool:
    """Whether a setting takes the value that a key has already."""
    return not position.value or is_same or (of is not None and of.kind == "list" and position.value == "[")


def _known_keys(
    workspace: OpenWorkspace, source: Source, table: tuple[str, ...], word: str
) -> Iterator[tuple[str, str, CompletionKind]]:
    folder = os.path.dirname(os.path.abspath(source.path))
    if table in known.SEVERITIES_OF:
        yield from ((rule, law, "rule") for rule, law in known.rules(workspace, folder, word))
    elif table == known.KINDS_OF:
        yield from ((glob, what, "file") for glob, what in known.files(workspace, folder, word))
    else:
        yield from ((key, one.detail, "field") for key, one in known.TABLES.get(table, {}).items())


def _behind(of: known.Setting | None, workspace: OpenWorkspace) -> str:
    """What stands behind the name of a setting."""
    if of is None:
        return " = "
    match of.kind:
        case "list":
            return f' = ["{STOP}"]'
        case "number":
            return f" = {CHOICE_STOP.format(next(of.values(workspace, '', ''), ('0', ''))[0] if of.values else '0')}"
        case "table":
            return f" = {{ {STOP} }}"
        case "tables":
            return f" = [{{ {STOP} }}]"
    words = (
        [word for word, _ in of.values(workspace, "", "")] if of in (known.SEVERITY, known.KIND) and of.values else []
    )
    return f' = "{CHOICE_STOP.format("|" + ",".join(words) + "|") if words else STOP}"'


def _values(
    workspace: OpenWorkspace, source: Source, position: TomlPosition, keys: tuple[str, ...], folder: str
) -> Iterator[Completion]:
    """The words that a setting may be, in the quotes that stand around them or in those that they need."""
    of = known.setting(keys[:-1], keys[-1])
    if of is None or of.values is None:
        return
    end = position.end
    word = source.text[position.start : end]
    if position.quote and position.is_open:
        end = position.start + len(_REST.match(source.text, position.start)[0])  # type: ignore[index]
    span = range_of(source, Span(position.start, max(end, position.start)))
    wrapped = of.kind == "list" and not position.in_list
    for number, (value, detail) in enumerate(of.values(workspace, folder, word)):
        if value in position.there and value != word:
            continue
        text = value if position.quote or of.kind == "number" else f'"{value}"'
        kind: CompletionKind = "rule" if of.values is known.rules or value in rule_summaries(workspace) else "value"
        data = ("rule", value) if kind == "rule" else ()
        yield Completion(
            value, kind, f"[{text}]" if wrapped else text + position.tail, span, f"{number:04}", detail, data
        )
