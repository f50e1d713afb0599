"""Ids of the rows of docs/assumptions.md that an effective configuration depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from trialrun.runtime.channel_config.effective import LABEL_PATHS, EffectiveConfig
from trialrun.runtime.channel_config.level import ResolvedType
from trialrun.runtime.channel_config.overlay import MergedList, MergedMessage, UnmergedValue

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.overlay import MergedTree

ASSUMPTION_BY_LIST: Final[Mapping[str | int, str]] = {
    "upsells": "precedence-upsells",
    "greetings": "precedence-greetings",
}
ASSUMPTION_BY_CONFLICT: Final = {"level": "precedence-one-level", "priority": "precedence-ties"}
STRATEGY_PATH: Final = ("operationsConfig", "upsellStrategy")
ORDER: Final = (
    "precedence-names",
    "precedence-types",
    "precedence-presence",
    *ASSUMPTION_BY_LIST.values(),
    "precedence-unions",
    "precedence-lists",
    *ASSUMPTION_BY_CONFLICT.values(),
)


def assumption_ids(types: Mapping[ResolvedType, EffectiveConfig], *, all_names_resolve: bool) -> tuple[str, ...]:
    """The rows that applied at a store; `all_names_resolve` says that each default and binding means one config."""
    ids = set() if all_names_resolve else {"precedence-names"}
    for config in types.values():
        ids.update(_tree_assumptions(config.tree) if config.tree else ())
        ids.update(ASSUMPTION_BY_CONFLICT[conflict.kind] for conflict in config.conflicts)
    upsells, agent = (_set_fields(types[kind].value) for kind in ("UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"))
    if upsells - {STRATEGY_PATH} or STRATEGY_PATH in agent:
        ids.add("precedence-types")
    return tuple(row for row in ORDER if row in ids)


def _set_fields(value: Mapping[str, Any]) -> set[tuple[str, ...]]:
    """What a session may take from one type or from the other, by the steps to it."""
    operations = {("operationsConfig", name) for name in value.get("operationsConfig", ())}
    return {(name,) for name in value if name != "operationsConfig"} | operations - {*LABEL_PATHS}


def _tree_assumptions(tree: MergedTree[Any]) -> Iterator[str]:
    """What was assumed where several configs have a part; what comes from one alone needs no look."""
    match tree:
        case UnmergedValue(_, _, value, overridden) if overridden is not None:
            is_same = overridden.path[-1:] == tree.path[-1:]
            replaced = "precedence-lists" if isinstance(value, list) else "precedence-presence"
            yield replaced if is_same else "precedence-unions"
        case MergedMessage(_, _, fields, overridden):
            yield from ("precedence-unions",) if overridden else ()
            for field in fields.values():
                yield from _tree_assumptions(field)
        case MergedList(_, path, items):
            yield ASSUMPTION_BY_LIST.get(path[-1], "precedence-lists")
            for item in items:
                yield from _tree_assumptions(item)
