"""Names in texts and keys of a resource: conditions, session types, sessions and field paths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import Path, SymbolicLocation
from trialrun.lsp.symbols.conditions import EmbeddedName, cel_names, type_names
from trialrun.lsp.symbols.occurrence import NameKind, Occurrence
from trialrun.lsp.symbols.session_references import LocatedName, session_names

if TYPE_CHECKING:
    from trialrun.diagnostic import Chars
    from trialrun.lsp.symbols.context import ResolutionContext
    from trialrun.model.node import Node
    from trialrun.workspace.open_workspace import ResourceInFile


_cell = re.compile(r"(?:[^|\\\r\n]|\\.)+")


def given_source_names(source: Any, context: ResolutionContext) -> Iterator[LocatedName]:
    """The columns of given rows: keys of mappings, or the header of a table."""
    if not source.uri:
        return
    for index, row in enumerate(source.rows or ()):
        for key in row:
            yield LocatedName(
                _word("column", key, (0, len(key)), (source.uri,)), SymbolicLocation(source, ("rows", index)), key
            )
    for name, chars in _header(source.table or ""):
        yield LocatedName(_word("column", name, chars, (source.uri,), in_cell=True), source.location("table"))


def step_names(step: Any, context: ResolutionContext) -> Iterator[LocatedName]:
    """The features or columns of the view of a step."""
    served = context.served(step.view)
    if served is None:
        return
    kind, within = served
    expected = getattr(step.expect, "served", None) or getattr(step.expect, "neighbors", None) or ()
    for holder in [*expected, *([step] if getattr(step, "values", None) else [])]:
        for key in holder.values or {}:
            yield LocatedName(_word(kind, key, (0, len(key)), within), holder.location("values"), key)
    for filter_ in [*(getattr(step, "stringFilters", None) or ()), *(getattr(step, "numericFilters", None) or ())]:
        if filter_.column:
            yield LocatedName(_word(kind, filter_.column, (0, len(filter_.column)), within), filter_.location("column"))


def _word(kind: NameKind, name: str, chars: Chars, within: tuple[str, ...], *, in_cell: bool = False) -> EmbeddedName:
    return EmbeddedName(kind, name, chars, within=within, embeddings=("cell",) if in_cell else ())


def _header(table: str) -> Iterator[tuple[str, Chars]]:
    """The names in the header line of a table."""
    line = re.search(r"[^\r\n]*\S[^\r\n]*", table)
    for cell in _cell.finditer(table, *line.span()) if line else ():
        name = cell[0].strip()
        start = cell.start() + len(cell[0]) - len(cell[0].lstrip())
        if name:
            yield name.replace("\\|", "|"), (start, start + len(name))


_OF_SESSION: Final = frozenset[NameKind]({"session type", "session variable", "session field"})


def has_embedded_names(node: Node) -> bool:
    """Whether this module handles the names in the texts of a message."""
    return type(node).__name__ in _READERS


def inside(part: ResourceInFile, path: str, node: Node, context: ResolutionContext, scope: str) -> Iterator[Occurrence]:
    """The names in the texts and keys of a message; `scope` is the brand of its document."""
    scope = context.at_store(getattr(node, "store", None))[0] if hasattr(node, "store") else scope
    scope = context.project_of(node.view) if hasattr(node, "view") else scope
    for located_name in _READERS[type(node).__name__](node, context):
        steps = part.model.path(located_name.place)
        yield _mention(
            part, path, located_name, steps if located_name.key is None else (*steps, located_name.key), context, scope
        )


def _mention(
    part: ResourceInFile, path: str, placed: LocatedName, steps: Path, context: ResolutionContext, scope: str
) -> Occurrence:
    word = placed.word
    if word.kind in _OF_SESSION:
        scope = context.own_session if type(part.model.node).__name__ == "SessionSchema" else context.used_session
    within, entry = word.within, steps if word.declares else ()
    if word.kind == "bound variable":
        within = (f"{path}#{part.document.index}#{steps}#{word.within[0]}",)
        entry = (*entry, *word.within) if entry else ()
    return Occurrence(
        word.kind, word.text, path, part.document.index, steps, word.declares, word.forms, scope, within, entry,
        word.chars, placed.key is not None, word.embeddings,
    )  # fmt: skip


def _of_upsell(upsell: Any, context: ResolutionContext) -> Iterator[LocatedName]:
    if upsell.conditionExpression:
        for word in cel_names(upsell.conditionExpression, context.types):
            yield LocatedName(word, upsell.location("conditionExpression"))


def _of_schema(schema: Any, context: ResolutionContext) -> Iterator[LocatedName]:
    """The names that a SessionSchema declares in keys, and the types that it references in values."""
    for name, fields in (schema.types or {}).items():
        yield LocatedName(
            EmbeddedName("session type", name, (0, len(name)), declares=True), schema.location("types"), name
        )
        for field, text in fields.items():
            at = SymbolicLocation(schema, ("types", name))
            yield LocatedName(
                EmbeddedName("session field", field, (0, len(field)), declares=True, within=(name,)), at, field
            )
            yield from _typed(text, SymbolicLocation(schema, ("types", name, field)))
    for name, text in (schema.variables or {}).items():
        yield LocatedName(
            EmbeddedName("session variable", name, (0, len(name)), declares=True), schema.location("variables"), name
        )
        yield from _typed(text, SymbolicLocation(schema, ("variables", name)))


def _typed(text: str, place: SymbolicLocation) -> Iterator[LocatedName]:
    for name, chars in type_names(text):
        yield LocatedName(EmbeddedName("session type", name, chars), place)


def _of_resolution(step: Any, context: ResolutionContext) -> Iterator[LocatedName]:
    """The upsells that field paths name in brackets."""
    from trialrun.runtime.channel_config.field_path import UnknownFieldError, parse_path

    for value in (step.expect.values if step.expect else None) or ():
        try:
            steps = parse_path(value.field or "")
        except UnknownFieldError:
            continue
        for before, one in pairwise(steps):
            is_named = one.bracketed and not one.text.isdecimal() and not one.text.startswith("priority ")
            if before.text == "upsells" and is_named:
                start = (value.field or "").index(one.text, one.chars[0])
                chars = start, start + len(one.text)
                yield LocatedName(
                    EmbeddedName("upsell", one.text, chars, embeddings=("path",)), value.location("field")
                )


_READERS: Final[dict[str, Callable[[Any, ResolutionContext], Iterator[LocatedName]]]] = {
    "CelUpsell": _of_upsell,
    "SessionSchema": _of_schema,
    "SessionStep": session_names,
    "ResolveStep": _of_resolution,
    "GivenSource": given_source_names,
    **dict.fromkeys(("SyncStep", "FetchStep", "WriteStep", "SearchStep"), step_names),
}
