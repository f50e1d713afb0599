"""The names of an open workspace, gathered from the files that may have them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from trialrun.lsp.results import Location
from trialrun.lsp.symbols.collect import gathered
from trialrun.lsp.symbols.context import Ground
from trialrun.lsp.symbols.occurrence import Mention, Sort
from trialrun.lsp.symbols.resolve import OF_RESOURCES, Meaning, key_of
from trialrun.text import Span
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.parser import Document
    from trialrun.workspace.open_workspace import Live, Reading

State = tuple[int, int, Any]
ByKey = dict[tuple[Sort, str], list[Mention]]
_found: WeakKeyDictionary[Live, dict[str, tuple[State, tuple[Mention, ...], ByKey]]] = WeakKeyDictionary()
"""The mentions of each file, with what they were gathered from."""

_words = re.compile(r"[^\s'\\]+").findall


def share_names(live: Live, copy: Live) -> None:
    """Let a copy of a workspace begin with the names that were gathered in the other."""
    _found[copy] = dict(_found.get(live, {}))


def mentions(live: Live, reading: Reading) -> tuple[Mention, ...]:
    """The names that one text declares and uses."""
    return _gathered(live, reading)[1]


def _gathered(live: Live, reading: Reading) -> tuple[State, tuple[Mention, ...], ByKey]:
    known = _found.setdefault(live, {})
    ground = Ground(live, reading.path)
    state = _state(reading, ground)
    of_file = known.get(reading.path)
    if of_file is None or of_file[0] != state:
        live.turns_to(reading.path)
        found = tuple(one for part in reading.parts for one in gathered(part, reading.path, ground))
        live.turns_to(None)
        by_key: ByKey = {}
        for one in found:
            by_key.setdefault(key_of(one), []).append(one)
        of_file = known[reading.path] = (state, found, by_key)
    return of_file


def _state(reading: Reading, ground: Ground) -> State:
    """What the names of a text depend on: its bytes, the types of the session, and for sessions the menus."""
    has_sessions = b"cenario" in reading.data or reading.kind_by_path == "Scenario"  # no tree is made to know it
    return hash(reading.data), hash(ground.types), (ground.brands, ground.views) if has_sessions else None


def mention_at(live: Live, path: str, offset: int) -> Mention | None:
    """The name at an offset; of several around it the shortest."""
    reading = live.reading(path)
    spot = reading.spot(offset) if reading else None
    if reading is None or spot is None:
        return None
    there = spot.document.index, spot.path, spot.is_key
    here = [one for one in mentions(live, reading) if (one.document, one.steps, one.at_key) == there]
    spans = [(_span(spot.document, one), one) for one in here]
    around = [(span.end - span.start, at) for at, (span, _) in enumerate(spans) if span.start <= offset <= span.end]
    return spans[min(around)[1]][1] if around else None


def place_of(live: Live, mention: Mention) -> Location | None:
    """Where a mention stands; None where the file has changed since."""
    reading = live.reading(mention.path)
    documents = reading.tree.documents if reading else []
    document = next((one for one in documents if one.index == mention.document), None)
    if reading is None or document is None:
        return None
    return Location(mention.path, reading.range(_span(document, mention)))


def declarations(live: Live, one: Mention) -> list[Mention]:
    """The declarations that a name means."""
    return list(_meaning(live, one).meant(one))


def referring(live: Live, one: Mention) -> list[Mention]:
    """Every mention of what a name means, by whatever name or id; of the name itself where nothing declares it."""
    meaning = _meaning(live, one)
    things = {other.thing for other in meaning.meant(one)}
    if not things:
        return [other for other in meaning.mentions if not meaning.meant(other) and _is_alike(one, other)]
    names = {key_of(other): other for path in {thing[0] for thing in things} for other in _of(live, path, things)}
    found: dict[Mention, None] = {}
    for name in names.values():
        of_name = _meaning(live, name)
        found.update(dict.fromkeys(it for it in of_name.mentions if things & {to.thing for to in of_name.meant(it)}))
    return list(found)


def _is_alike(one: Mention, other: Mention) -> bool:
    return other.scope == one.scope and (not one.within or bool(set(one.within) & set(other.within)))


def closure(live: Live, one: Mention) -> list[Mention]:
    """The mentions that change with a name: of all that it means, and of all that is meant along with these."""
    meaning = _meaning(live, one)
    meant = set(meaning.meant(one))
    while True:
        found = [other for other in meaning.mentions if meant & set(meaning.meant(other))]
        wider = {to for other in found for to in meaning.meant(other)}
        if wider <= meant:
            return list(found)
        meant |= wider


def _of(live: Live, path: str, things: Collection[object]) -> Iterable[Mention]:
    reading = live.reading(path)
    return [one for one in mentions(live, reading) if one.declares and one.thing in things] if reading else []


def _meaning(live: Live, one: Mention) -> Meaning:
    """All mentions that share the key of one."""
    key = key_of(one)
    may_say = saying(last_id(one.text) if one.sort in OF_RESOURCES else one.text)
    readings = (reading for reading in live.readings() if may_say(reading.data))
    return Meaning(other for reading in readings for other in _gathered(live, reading)[2].get(key, ()))


def saying(text: str) -> Callable[[bytes], bool]:
    """Whether bytes may have a text in them, however it is quoted, escaped, folded or encoded."""
    words = [word.encode().lower() for word in _words(text) if word.isascii()]

    def may_say(data: bytes) -> bool:
        lowered = data.lower()
        return all(word in lowered for word in words) or b"\\" in data or b"\0" in data

    return may_say


def _span(document: Document, mention: Mention) -> Span:
    """The characters of a mention, without the quotes around it."""
    start, end = mention.chars or (0, len(mention.text))
    if mention.at_key:
        return document.key_inside(mention.steps, start, end)
    return document.inside(mention.steps, start, end)
