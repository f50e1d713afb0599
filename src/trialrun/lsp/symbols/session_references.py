"""Names in session steps of scenarios: items in scripts, upsells, and state values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import CharRange, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.symbols.conditions import EmbeddedName, cel_names
from trialrun.lsp.symbols.name_fields import NameField, name_fields
from trialrun.model.node import message_fields
from trialrun.runtime.channel_config.menu import Item, Modifier, fold_name
from trialrun.runtime.channel_config.script import ScriptError, parse
from trialrun.runtime.scenario.environment import ScenarioError

if TYPE_CHECKING:
    from trialrun.lsp.symbols.context import ResolutionContext
    from trialrun.lsp.symbols.occurrence import Embedding, NameForm
    from trialrun.model.scenario_steps import ExpectedTurn, SessionStep, SessionTurn
    from trialrun.runtime.channel_config.menu import BrandMenu
    from trialrun.runtime.channel_config.script_scanner import NameToken
    from trialrun.runtime.scenario.turns import TurnLocations
    from trialrun.values.cel import Schema

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
    from trialrun.runtime.scenario.turns import parse_turns

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
    from trialrun.runtime.scenario.turns import span_within

    embeddings = (*word.embeddings, "cell") if isinstance(place, CharRange) else word.embeddings
    there = span_within(place, *word.chars)
    made = EmbeddedName(word.kind, word.text, there.chars, word.declares, word.forms, word.within, embeddings)
    return LocatedName(made, SymbolicLocation(there.node, there.path))
