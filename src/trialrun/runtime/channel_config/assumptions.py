"""The rows of docs/assumptions.md that an effective configuration rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from trialrun.runtime.channel_config.effective import LABELS, Effective
from trialrun.runtime.channel_config.level import ResolvedType
from trialrun.runtime.channel_config.overlay import Items, Message, Whole

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.overlay import Tree

MATCHED: Final[Mapping[str | int, str]] = {"upsells": "precedence-upsells", "greetings": "precedence-greetings"}
OF_CLASHES: Final = {"level": "precedence-one-level", "priority": "precedence-ties"}
STRATEGY: Final = ("operationsConfig", "upsellStrategy")
ORDER: Final = (
    "precedence-names",
    "precedence-types",
    "precedence-presence",
    *MATCHED.values(),
    "precedence-unions",
    "precedence-lists",
    *OF_CLASHES.values(),
)


def assumed(types: Mapping[ResolvedType, Effective], *, is_all_named: bool) -> tuple[str, ...]:
    """The rows that applied at a store; `is_all_named` says that each default and binding means one config."""
    found = set() if is_all_named else {"precedence-names"}
    for effective in types.values():
        found.update(_of_tree(effective.tree) if effective.tree else ())
        found.update(OF_CLASHES[clash.sort] for clash in effective.clashes)
    upsells, agent = (_things(types[one].value) for one in ("UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"))
    if upsells - {STRATEGY} or STRATEGY in agent:
        found.add("precedence-types")
    return tuple(row for row in ORDER if row in found)


def _things(value: Mapping[str, Any]) -> set[tuple[str, ...]]:
    """What a session may take from one type or from the other, by the steps to it."""
    operations = {("operationsConfig", name) for name in value.get("operationsConfig", ())}
    return {(name,) for name in value if name != "operationsConfig"} | operations - {*LABELS}


def _of_tree(tree: Tree[Any]) -> Iterator[str]:
    """What was assumed where several configs have a part; what comes from one alone needs no look."""
    match tree:
        case Whole(_, _, value, beneath) if beneath is not None:
            is_same = beneath.path[-1:] == tree.path[-1:]
            replaced = "precedence-lists" if isinstance(value, list) else "precedence-presence"
            yield replaced if is_same else "precedence-unions"
        case Message(_, _, fields, beneath):
            yield from ("precedence-unions",) if beneath else ()
            for field in fields.values():
                yield from _of_tree(field)
        case Items(_, path, items):
            yield MATCHED.get(path[-1], "precedence-lists")
            for item in items:
                yield from _of_tree(item)
