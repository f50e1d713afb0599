"""Names in texts and keys of a resource: conditions, session types, sessions and field paths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from trialrun.diagnostic import SymbolicLocation
from trialrun.lsp.symbols.conditions import EmbeddedName, cel_names, type_names
from trialrun.lsp.symbols.occurrence import NameField, NameKind, Occurrence, name_fields
from trialrun.model.node import NameForm, Node, message_fields
from trialrun.model.scenario import ExpectedTurn, SessionStep
from trialrun.runtime.channel_config.field_path import UnknownFieldError, parse_path
from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier, brand_menu, fold_name
from trialrun.runtime.channel_config.script import ScriptError, parse
from trialrun.runtime.channel_config.script_scanner import NameToken
from trialrun.runtime.declaration import UndeclaredError
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

    def served(self, view: str | None) -> tuple[NameKind, tuple[str, ...]] | None:
        """What a view serves: features of groups, or columns of a table; None if there is no such view."""
        try:
            node = views(self._live).view(view or "").node
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
            registry = views(self._live).view(view or "").node.featureRegistrySource
        except UndeclaredError:
            return ""
        return str((registry and registry.projectNumber) or "")

    def at_store(self, name: str | None) -> tuple[str, BrandMenu]:
        """The brand and the menu of a store; an empty name if there is no such store."""
        catalog = brands(self._live)
        try:
            brand = catalog.store(name or "").brand
        except UndeclaredError:
            return "", BrandMenu()
        key = "menu of names", brand.node.name
        if key not in catalog.cache:
            catalog.cache[key] = brand_menu(brand, catalog)
        return brand.node.name or "", catalog.cache[key]


_ADDED: Final = "add "
"""Prefix of order lines when they are parsed as a script."""
_set = re.compile(r"(?:^|(?<=;))\s*set\s+(?=[A-Za-z_])", re.IGNORECASE)
_step = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_cell = re.compile(r"(?:[^|\\\r\n]|\\.)+")
_OF_SESSION: Final = frozenset[NameKind]({"session type", "session variable", "session field"})


def has_embedded_names(node: Node) -> bool:
    """Whether this module handles the names in the texts of a message."""
    return type(node).__name__ in _READERS


def inside(part: ResourceInFile, path: str, node: Node, context: ResolutionContext, scope: str) -> Iterator[Occurrence]:
    """The names in the texts and keys of a message; `scope` is the brand of its document."""
    is_schema, document = type(part.model.node).__name__ == "SessionSchema", part.document.index
    scope = context.at_store(getattr(node, "store", None))[0] if hasattr(node, "store") else scope
    scope = context.project_of(node.view) if hasattr(node, "view") else scope
    for word in _READERS[type(node).__name__](node, context):
        assert word.place is not None
        steps = part.model.path(word.place)
        steps = steps if word.key is None else (*steps, word.key)
        session = context.own_session if is_schema else context.used_session
        within, entry = word.within, steps if word.declares else ()
        if word.kind == "bound variable":
            within = (f"{path}#{document}#{steps}#{word.within[0]}",)
            entry = (*entry, *word.within) if entry else ()
        yield Occurrence(
            *(word.kind, word.text, path, document, steps, word.declares, word.forms),
            *(session if word.kind in _OF_SESSION else scope, within, entry),
            *(word.chars, word.key is not None, word.embeddings),
        )


def _whole(
    kind: NameKind,
    text: str,
    place: SymbolicLocation,
    key: str | None = None,
    *,
    declares: bool = False,
    within: tuple[str, ...] = (),
) -> EmbeddedName:
    """A name that is a whole text or key."""
    return EmbeddedName(kind, text, (0, len(text)), declares, within=within, place=place, key=key)


def _of_upsell(upsell: Any, context: ResolutionContext) -> Iterator[EmbeddedName]:
    for word in cel_names(upsell.conditionExpression or "", context.types):
        yield word._replace(place=upsell.location("conditionExpression"))


def _of_schema(schema: Any, context: ResolutionContext) -> Iterator[EmbeddedName]:
    """The names that a SessionSchema declares in keys, and the types that it references in values."""
    texts: list[tuple[tuple[str, ...], str]] = []
    for name, fields in (schema.types or {}).items():
        yield _whole("session type", name, schema.location("types"), name, declares=True)
        for field, text in fields.items():
            place = SymbolicLocation(schema, ("types", name))
            yield _whole("session field", field, place, field, declares=True, within=(name,))
            texts.append((("types", name, field), text))
    for name, text in (schema.variables or {}).items():
        yield _whole("session variable", name, schema.location("variables"), name, declares=True)
        texts.append((("variables", name), text))
    for path, text in texts:
        for name, chars in type_names(text):
            yield EmbeddedName("session type", name, chars, place=SymbolicLocation(schema, path))


def _of_resolution(step: Any, context: ResolutionContext) -> Iterator[EmbeddedName]:
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
                yield EmbeddedName("upsell", one.text, chars, embeddings=("path",), place=value.location("field"))


def _of_given_source(source: Any, context: ResolutionContext) -> Iterator[EmbeddedName]:
    """The columns of given rows: keys of mappings, or the header of a table."""
    if not source.uri:
        return
    for index, row in enumerate(source.rows or ()):
        for key in row:
            yield _whole("column", key, SymbolicLocation(source, ("rows", index)), key, within=(source.uri,))
    line = re.search(r"[^\r\n]*\S[^\r\n]*", source.table or "")
    for cell in _cell.finditer(source.table, *line.span()) if line else ():
        name, start = cell[0].strip(), cell.start() + len(cell[0]) - len(cell[0].lstrip())
        if name:
            word = _whole("column", name.replace("\\|", "|"), source.location("table"), within=(source.uri,))
            yield word._replace(chars=(start, start + len(name)), embeddings=("cell",))


def _of_view_step(step: Any, context: ResolutionContext) -> Iterator[EmbeddedName]:
    """The features or columns of the view of a step."""
    served = context.served(step.view)
    if served is None:
        return
    kind, within = served
    expected = getattr(step.expect, "served", None) or getattr(step.expect, "neighbors", None) or ()
    for holder in [*expected, *([step] if getattr(step, "values", None) else [])]:
        for key in holder.values or {}:
            yield _whole(kind, key, holder.location("values"), key, within=within)
    for filter_ in [*(getattr(step, "stringFilters", None) or ()), *(getattr(step, "numericFilters", None) or ())]:
        if filter_.column:
            yield _whole(kind, filter_.column, filter_.location("column"), within=within)


def _of_session(step: SessionStep, context: ResolutionContext) -> Iterator[EmbeddedName]:
    """The names in a session of a scenario; an invalid session is skipped."""
    menu, types = context.at_store(step.store)[1], context.types
    for key in step.state or {}:
        yield from (word._replace(place=step.location("state"), key=key) for word in _state_path_names(key, types))
    try:
        turns, places = parse_turns(step)
    except ScenarioError:
        return
    for turn in turns:
        if turn.customer:
            place = places.at(turn, "customer")
            yield from (_locate(place, _menu_word(turn.customer, name)) for name in _menu_names(turn.customer, menu))
            for match in _set.finditer(turn.customer):
                yield from (_locate(place, word) for word in _state_path_names(turn.customer, types, match.end()))
        if turn.expect:
            yield from _of_expectation(turn.expect, places, menu, types)


def _of_expectation(
    expect: ExpectedTurn, places: TurnLocations, menu: BrandMenu, types: Schema
) -> Iterator[EmbeddedName]:
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
            for word in cel_names(text, types):
                yield word._replace(place=condition.location("parts"), key=text)


def _direct(node: Any, name: NameField, places: TurnLocations) -> Iterator[EmbeddedName]:
    """Names that are a whole text, or a whole part of a table cell."""
    value = getattr(node, name.field)
    for at, text in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(text, str) and text and (name.kind != "upsell" or not text.startswith("priority ")):
            place = places.at(node, name.field, at) if isinstance(value, list) else places.at(node, name.field)
            yield _locate(place, EmbeddedName(name.kind, text, (0, len(text))))


def _added(line: str, place: SymbolicLocation, menu: BrandMenu) -> Iterator[EmbeddedName]:
    for name in _menu_names(_ADDED + line, menu):
        word = _menu_word(_ADDED + line, name)
        start, end = (at - len(_ADDED) for at in word.chars)
        if start >= 0:
            yield _locate(place, word._replace(chars=(start, end), within=()))


def _menu_names(text: str, menu: BrandMenu) -> Iterator[NameToken]:
    try:
        lines = parse(text, menu)
    except ScriptError:
        return
    if len(lines) == 1 and "\n" not in text and "\r" not in text:
        yield from lines[0].names


def _menu_word(text: str, named: NameToken) -> EmbeddedName:
    """A name in a line without its quotes, with the way it is quoted."""
    entry, written = named.entry, text[named.start : named.end]
    is_quoted = written[:1] == '"'
    chars = (named.start + 1, named.end - 1) if is_quoted else (named.start, named.end)
    embeddings = ("quoted",) if is_quoted else ("script",)
    if isinstance(entry, str):
        return EmbeddedName(
            "modifier group", entry, chars, forms=("name", "semantic name", "id"), embeddings=embeddings
        )
    text, form = _written_name(entry, written.strip('"'))
    is_modifier = isinstance(entry, Modifier)
    group = tuple(name for name in (entry.group, entry.group_id) if name) if isinstance(entry, Modifier) else ()
    return EmbeddedName("modifier" if is_modifier else "item", text, chars, False, (form,), group, embeddings)


def _written_name(entry: Item | Modifier, written: str) -> tuple[str, NameForm]:
    """The name or id of an entry that is written: exactly, else but for case and spaces."""
    if entry.id and written == entry.id:
        return entry.id, "id"
    names: list[tuple[str, NameForm]] = [(entry.name, "name"), (entry.other_name, "name")]
    names.append((entry.semantic_name, "semantic name"))
    same = next((pair for pair in names if pair[0] == written), None)
    return same or next((pair for pair in names if fold_name(pair[0]) == fold_name(written)), names[0])


def _state_path_names(text: str, types: Schema, start: int = 0) -> Iterator[EmbeddedName]:
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


def _locate(place: SymbolicLocation, word: EmbeddedName) -> EmbeddedName:
    """A name at some characters of a location, which may itself be a part of a table."""
    embeddings = (*word.embeddings, "cell") if place.chars is not None else word.embeddings
    there = span_within(place, *word.chars)
    return word._replace(chars=there.chars or word.chars, embeddings=embeddings, place=there._replace(chars=None))


_READERS: Final[dict[str, Callable[[Any, ResolutionContext], Iterator[EmbeddedName]]]] = {
    "CelUpsell": _of_upsell,
    "SessionSchema": _of_schema,
    "SessionStep": _of_session,
    "ResolveStep": _of_resolution,
    "GivenSource": _of_given_source,
    **dict.fromkeys(("SyncStep", "FetchStep", "WriteStep", "SearchStep"), _of_view_step),
}
