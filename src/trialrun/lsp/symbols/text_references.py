"""The names inside texts and keys of a resource: in conditions, types of the session, sessions and paths of fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import Path, Place
from trialrun.lsp.symbols.conditions import Word, type_names, words_of
from trialrun.lsp.symbols.occurrence import Mention, Sort
from trialrun.lsp.symbols.served_columns import of_given, of_step
from trialrun.lsp.symbols.session_references import Placed, names_of

if TYPE_CHECKING:
    from trialrun.lsp.symbols.context import Ground
    from trialrun.model.node import Node
    from trialrun.workspace.open_workspace import Part

_OF_SESSION: Final = frozenset[Sort]({"session type", "session variable", "session field"})


def has_texts(node: Node) -> bool:
    """Whether the names inside a message are read here."""
    return type(node).__name__ in _READERS


def inside(part: Part, path: str, node: Node, ground: Ground, scope: str) -> Iterator[Mention]:
    """The names inside the texts and keys of one message; `scope` is the brand that its document is about."""
    scope = ground.at_store(getattr(node, "store", None))[0] if hasattr(node, "store") else scope
    scope = ground.project_of(node.view) if hasattr(node, "view") else scope
    for placed in _READERS[type(node).__name__](node, ground):
        steps = part.fitted.path(placed.place)
        yield _mention(part, path, placed, steps if placed.key is None else (*steps, placed.key), ground, scope)


def _mention(part: Part, path: str, placed: Placed, steps: Path, ground: Ground, scope: str) -> Mention:
    word = placed.word
    if word.sort in _OF_SESSION:
        scope = ground.own_session if type(part.fitted.node).__name__ == "SessionSchema" else ground.used_session
    within, entry = word.within, steps if word.declares else ()
    if word.sort == "bound variable":
        within = (f"{path}#{part.document.index}#{steps}#{word.within[0]}",)
        entry = (*entry, *word.within) if entry else ()
    return Mention(
        word.sort, word.text, path, part.document.index, steps, word.declares, word.ways, scope, within, entry,
        word.chars, placed.key is not None, word.layers,
    )  # fmt: skip


def _of_upsell(upsell: Any, ground: Ground) -> Iterator[Placed]:
    if upsell.conditionExpression:
        for word in words_of(upsell.conditionExpression, ground.types):
            yield Placed(word, upsell.at("conditionExpression"))


def _of_schema(schema: Any, ground: Ground) -> Iterator[Placed]:
    """What a SessionSchema declares, at the keys, and the types that it names, in their values."""
    for name, fields in (schema.types or {}).items():
        yield Placed(Word("session type", name, (0, len(name)), declares=True), schema.at("types"), name)
        for field, text in fields.items():
            at = Place(schema, ("types", name))
            yield Placed(Word("session field", field, (0, len(field)), declares=True, within=(name,)), at, field)
            yield from _typed(text, Place(schema, ("types", name, field)))
    for name, text in (schema.variables or {}).items():
        yield Placed(Word("session variable", name, (0, len(name)), declares=True), schema.at("variables"), name)
        yield from _typed(text, Place(schema, ("variables", name)))


def _typed(text: str, place: Place) -> Iterator[Placed]:
    for name, chars in type_names(text):
        yield Placed(Word("session type", name, chars), place)


def _of_resolution(step: Any, ground: Ground) -> Iterator[Placed]:
    """The upsells that paths of fields name in brackets."""
    from trialrun.runtime.channel_config.field_path import NoField, steps_of

    for value in (step.expect.values if step.expect else None) or ():
        try:
            steps = steps_of(value.field or "")
        except NoField:
            continue
        for before, one in pairwise(steps):
            is_named = one.bracketed and not one.text.isdecimal() and not one.text.startswith("priority ")
            if before.text == "upsells" and is_named:
                start = (value.field or "").index(one.text, one.chars[0])
                chars = start, start + len(one.text)
                yield Placed(Word("upsell", one.text, chars, layers=("path",)), value.at("field"))


_READERS: Final[dict[str, Callable[[Any, Ground], Iterator[Placed]]]] = {
    "CelUpsell": _of_upsell,
    "SessionSchema": _of_schema,
    "SessionStep": names_of,
    "ResolveStep": _of_resolution,
    "GivenSource": of_given,
    **dict.fromkeys(("SyncStep", "FetchStep", "WriteStep", "SearchStep"), of_step),
}
