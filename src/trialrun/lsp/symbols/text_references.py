"""Names in texts and keys of a resource: conditions, session types, sessions and field paths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from trialrun.diagnostic import CharRange, Chars, Path, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.symbols.conditions import EmbeddedName, cel_names, type_names
from trialrun.lsp.symbols.occurrence import Embedding, NameField, NameForm, NameKind, Occurrence, name_fields
from trialrun.model.node import Node, message_fields
from trialrun.model.scenario_steps import ExpectedTurn, SessionStep, SessionTurn
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.channel_config.field_path import UnknownFieldError, parse_path
from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier, brand_menu, fold_name
from trialrun.runtime.channel_config.script import ScriptError, parse
from trialrun.runtime.channel_config.script_scanner import NameToken
from trialrun.runtime.declaration import Catalog, UndeclaredError
from trialrun.runtime.scenario.environment import ScenarioError
from trialrun.runtime.scenario.turns import TurnLocations, parse_turns, span_within
from trialrun.values.cel import Schema
from trialrun.working_folder import absolute_path
from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile
from trialrun.workspace.open_workspace.catalog_cache import brands, views

GLOBAL_SCOPE: Final = "*"
"""The scope of session types that apply wherever the settings name no other file."""


class ResolutionContext:
    """The context in which the names of one file are resolved."""

    def __init__(self, workspace: OpenWorkspace, path: str) -> None:
        self._live = workspace
        self._path = path

    @cached_property
    def types(self) -> Schema:
        """The types and variables that its conditions may read."""
        return self._live.session_types(self._path)

    @cached_property
    def used_session(self) -> str:
        """The scope of the session types that its conditions read."""
        named = self._live.request.profiles.of(self._path).session_schema
        return GLOBAL_SCOPE if named is None else absolute_path(named)

    @cached_property
    def own_session(self) -> str:
        """The scope of the session types that it declares."""
        settings = self._live.request.profiles.settings
        named = (settings.session_schema, *(override.session_schema for override in settings.overrides))
        file = absolute_path(self._path)
        return file if file in {absolute_path(name) for name in named if name} else GLOBAL_SCOPE

    @cached_property
    def brands(self) -> BrandCatalog:
        """The brands of the workspace with their menus."""
        return brands(self._live)

    @cached_property
    def views(self) -> Catalog:
        """The views of the workspace with their sources."""
        return views(self._live)

    def served(self, view: str | None) -> tuple[NameKind, tuple[str, ...]] | None:
        """What a view serves: features of groups, or columns of a table; None if there is no such view."""
        try:
            node = self.views.view(view or "").node
        except UndeclaredError:
            return None
        if node.featureRegistrySource:
            groups = node.featureRegistrySource.featureGroups or ()
            return "feature", tuple(dict.fromkeys(group.featureGroupId for group in groups if group.featureGroupId))
        source = node.warehouseSource or node.ragSource
        return ("column", (source.uri,)) if source and source.uri else None

    def project_of(self, view: str | None) -> str:
        """The project whose registry a view reads; empty if it names none."""
        try:
            registry = self.views.view(view or "").node.featureRegistrySource
        except UndeclaredError:
            return ""
        return str((registry and registry.projectNumber) or "")

    def at_store(self, name: str | None) -> tuple[str, BrandMenu]:
        """The brand and the menu of a store; an empty name if there is no such store."""
        try:
            brand = self.brands.store(name or "").brand
        except UndeclaredError:
            return "", BrandMenu()
        menus = self.brands.cache
        key = "menu of names", brand.node.name
        if key not in menus:
            menus[key] = brand_menu(brand, self.brands)
        return brand.node.name or "", menus[key]


_ADDED: Final = "add "
"""Prefix of order lines when they are parsed as a script."""
_set = re.compile(r"(?:^|(?<=;))\s*set\s+(?=[A-Za-z_])", re.IGNORECASE)
_step = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class LocatedName:
    """A name, and the field, key or characters where it is; `key` is a key of a mapping there."""

    word: EmbeddedName
    place: SymbolicLocation
    key: str | None = None


def session_names(step: SessionStep, context: ResolutionContext) -> Iterator[LocatedName]:
    """The names in a session of a scenario; an invalid session is skipped."""
    _, menu = context.at_store(step.store)
    for key in step.state or {}:
        yield from (LocatedName(word, step.location("state"), key) for word in state_path_names(key, context.types))
    try:
        turns, places = parse_turns(step)
    except ScenarioError:
        return
    for turn in turns:
        yield from _of_turn(turn, places, menu, context.types)


def _of_turn(turn: SessionTurn, places: TurnLocations, menu: BrandMenu, types: Schema) -> Iterator[LocatedName]:
    if turn.customer:
        yield from _scripted(turn.customer, places.at(turn, "customer"), menu, types)
    if turn.expect:
        yield from _of_expectation(turn.expect, places, menu, types)


def _of_expectation(
    expect: ExpectedTurn, places: TurnLocations, menu: BrandMenu, types: Schema
) -> Iterator[LocatedName]:
    for field, _, part in message_fields(type(expect)):
        for message in getattr(expect, field) or ():
            for name in name_fields(part):
                yield from _direct(message, name, places)
    for at, line in enumerate(expect.order or ()):
        yield from _added(line, places.at(expect, "order", at), menu)
    for mapping in expect.mapped or ():
        for at, line in enumerate(mapping.targets or ()):
            yield from _added(line, places.at(mapping, "targets", at), menu)
    for condition in expect.conditions or ():
        for text in condition.parts or {}:
            yield from (LocatedName(word, condition.location("parts"), text) for word in cel_names(text, types))


def _direct(node: Any, name: NameField, places: TurnLocations) -> Iterator[LocatedName]:
    """Names that are a whole text, or a whole part of a table cell."""
    value = getattr(node, name.field)
    for at, text in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(text, str) and text:
            place = places.at(node, name.field, at) if isinstance(value, list) else places.at(node, name.field)
            if name.kind != "upsell" or not text.startswith("priority "):
                yield _locate(place, EmbeddedName(name.kind, text, (0, len(text))))


def _added(line: str, place: SymbolicLocation, menu: BrandMenu) -> Iterator[LocatedName]:
    """The names in an order line."""
    for menu_name in _menu_names(_ADDED + line, menu):
        word = _word(_ADDED + line, menu_name)
        start, end = word.chars
        if start >= len(_ADDED):
            moved = start - len(_ADDED), end - len(_ADDED)
            yield _locate(
                place, EmbeddedName(word.kind, word.text, moved, forms=word.forms, embeddings=word.embeddings)
            )


def _scripted(text: str, place: SymbolicLocation, menu: BrandMenu, types: Schema) -> Iterator[LocatedName]:
    for menu_name in _menu_names(text, menu):
        yield _locate(place, _word(text, menu_name))
    for match in _set.finditer(text):
        for word in state_path_names(text, types, match.end()):
            yield _locate(place, word)


def _menu_names(text: str, menu: BrandMenu) -> Iterator[NameToken]:
    try:
        lines = parse(text, menu)
    except ScriptError:
        return
    if len(lines) == 1 and "\n" not in text and "\r" not in text:
        yield from lines[0].names


def _word(text: str, named: NameToken) -> EmbeddedName:
    """A name in a line without its quotes, with the way it is quoted."""
    written = text[named.start : named.end]
    is_quoted = written[:1] == '"'
    chars = (named.start + 1, named.end - 1) if is_quoted else (named.start, named.end)
    embeddings: tuple[Embedding, ...] = ("quoted",) if is_quoted else ("script",)
    means = named.entry
    if isinstance(means, str):
        forms: tuple[NameForm, ...] = ("name", "semantic name", "id")
        return EmbeddedName("modifier group", means, chars, forms=forms, embeddings=embeddings)
    text, form = _written_name(means, written.strip('"'))
    forms = (form,)
    if isinstance(means, Modifier):
        group = tuple(name for name in (means.group, means.group_id) if name)
        return EmbeddedName("modifier", text, chars, forms=forms, within=group, embeddings=embeddings)
    assert isinstance(means, Item)
    return EmbeddedName("item", text, chars, forms=forms, embeddings=embeddings)


def _written_name(entry: Item | Modifier, written: str) -> tuple[str, NameForm]:
    """The name or id of an entry that is written: exactly, else but for case and spaces."""
    names: list[tuple[str, NameForm]] = [
        (entry.name, "name"),
        (entry.other_name, "name"),
        (entry.semantic_name, "semantic name"),
    ]
    if entry.id and written == entry.id:
        return entry.id, "id"
    same = next((pair for pair in names if pair[0] == written), None)
    return same or next((pair for pair in names if fold_name(pair[0]) == fold_name(written)), names[0])


def state_path_names(text: str, types: Schema, start: int = 0) -> Iterator[EmbeddedName]:
    """The variable and fields in the path of a state value, such as `session.partySize`."""
    match = _step.match(text, start)
    known = types.roots.get(match[0]) if match else None
    if match is None or known is None:
        return
    yield EmbeddedName("session variable", match[0], match.span())
    while known and text[match.end() : match.end() + 1] == "." and (after := _step.match(text, match.end() + 1)):
        within = known.name
        known = types.fields.get(within, {}).get(after[0])
        if known is not None:
            yield EmbeddedName("session field", after[0], after.span(), within=(within,))
        match = after


def _locate(place: SymbolicLocation, word: EmbeddedName) -> LocatedName:
    """A name at some characters of a location, which may itself be a part of a table."""
    embeddings = (*word.embeddings, "cell") if isinstance(place, CharRange) else word.embeddings
    there = span_within(place, *word.chars)
    made = EmbeddedName(word.kind, word.text, there.chars, word.declares, word.forms, word.within, embeddings)
    return LocatedName(made, SymbolicLocation(there.node, there.path))


_cell = re.compile(r"(?:[^|\\\r\n]|\\.)+")


def given_source_names(source: Any, context: ResolutionContext) -> Iterator[LocatedName]:
    """The columns of given rows: keys of mappings, or the header of a table."""
    if not source.uri:
        return
    for index, row in enumerate(source.rows or ()):
        for key in row:
            yield LocatedName(
                _column_name("column", key, (0, len(key)), (source.uri,)),
                SymbolicLocation(source, ("rows", index)),
                key,
            )
    for name, chars in _header(source.table or ""):
        yield LocatedName(_column_name("column", name, chars, (source.uri,), in_cell=True), source.location("table"))


def step_names(step: Any, context: ResolutionContext) -> Iterator[LocatedName]:
    """The features or columns of the view of a step."""
    served = context.served(step.view)
    if served is None:
        return
    kind, within = served
    expected = getattr(step.expect, "served", None) or getattr(step.expect, "neighbors", None) or ()
    for holder in [*expected, *([step] if getattr(step, "values", None) else [])]:
        for key in holder.values or {}:
            yield LocatedName(_column_name(kind, key, (0, len(key)), within), holder.location("values"), key)
    for filter_ in [*(getattr(step, "stringFilters", None) or ()), *(getattr(step, "numericFilters", None) or ())]:
        if filter_.column:
            yield LocatedName(
                _column_name(kind, filter_.column, (0, len(filter_.column)), within), filter_.location("column")
            )


def _column_name(
    kind: NameKind, name: str, chars: Chars, within: tuple[str, ...], *, in_cell: bool = False
) -> EmbeddedName:
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
