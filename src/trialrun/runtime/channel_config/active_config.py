"""The active configuration of a store: both config types, and which of them a session reads each field from.

It also names the rows of docs/assumptions.md that it rests on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

from trialrun.diagnostic import json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node
from trialrun.runtime.channel_config.catalog import BrandCatalog, DeclaredStore
from trialrun.runtime.channel_config.effective import LABEL_PATHS, EffectiveConfig, Origin, merge_layers
from trialrun.runtime.channel_config.layers import TYPES, Layer, ResolvedType, UnappliedConfig, resolve_layers
from trialrun.runtime.channel_config.overlay import MergedList, MergedMessage, MergedTree, UnmergedValue
from trialrun.runtime.options import DEFAULT_OPTIONS, MessageDraw, Options

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellStrategy


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


def _set_fields(value: Mapping[str, Any]) -> set[tuple[str, ...]]:
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


@dataclass(frozen=True, eq=False)
class ActiveConfig:
    """What is effective at a store, by type, and the defaults and bindings that apply nothing.

    `message_draw` is the choice of the workspace: which messages are weighed together.
    """

    store: DeclaredStore
    types: Mapping[ResolvedType, EffectiveConfig]
    unapplied: Sequence[UnappliedConfig] = ()
    message_draw: MessageDraw = "type"

    @property
    def upsell_strategy(self) -> UpsellStrategy | None:
        """The upsell strategy of the config for upsells, else the one of the config for the agent."""
        return cast("UpsellStrategy | None", self.operations_field("upsellStrategy"))

    def operations_field(self, field: str) -> Any:
        """A field of operationsConfig, from the type that a session takes it from; None if neither sets it."""
        return self.field("operationsConfig", field)

    @property
    def listens_only(self) -> bool:
        """Whether the agent says nothing."""
        return bool(self.operations_field("interactionMode") == "LISTEN_ONLY")

    @property
    def default_language(self) -> str | None:
        """The default language for serving customers."""
        return cast("str | None", self.operations_field("defaultLanguageCode"))

    def source_of(self, *steps: str) -> EffectiveConfig | None:
        """The type that has what the steps lead to: ("tone",), or ("operationsConfig", "greetings"); None for none."""
        order = TYPES if steps[:2] == STRATEGY_PATH else TYPES[::-1]
        return next((self.types[kind] for kind in order if _is_set(self.types[kind].value, steps)), None)

    def origin(self, *steps: str) -> Origin | None:
        """Where what the steps lead to comes from, as `source_of` has them; None if nothing sets it."""
        source = self.source_of(*steps)
        return source.origin(json_pointer(steps)) if source else None

    @cached_property
    def session_plans(self) -> list[Any]:
        """The plans that sessions at the store have been given so far (see `session_plan`)."""
        return []

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """The rows of docs/assumptions.md that this rests on."""
        ids = {"precedence-names"} if self.unapplied else set()
        for config in self.types.values():
            ids.update(_tree_assumptions(config.tree) if config.tree else ())
            ids.update(ASSUMPTION_BY_CONFLICT[conflict.kind] for conflict in config.conflicts)
        upsells, agent = (_set_fields(self.types[kind].value) for kind in TYPES)
        if upsells - {STRATEGY_PATH} or STRATEGY_PATH in agent:
            ids.add("precedence-types")
        return tuple(row for row in ORDER if row in ids)

    def origin_of(self, node: Node, *steps: str | int) -> Origin:
        """Where a message that this gave out, or what the steps lead to from it, comes from.

        Raises KeyError for any other message, and where the steps lead to nothing.
        """
        for config in self.types.values():
            if config.contains(node):
                return config.origin_of(node, *steps)
        raise KeyError(type(node).__name__)

    def field(self, *steps: str) -> Any:
        """What the steps lead to, from the type that a session takes it from; None if neither sets it."""
        source = self.source_of(*steps)
        value: Any = source.node if source else None
        for step in steps if source else ():
            value = getattr(value, step)
        return value


def resolve_active_config(
    store: DeclaredStore, catalog: BrandCatalog, options: Options = DEFAULT_OPTIONS
) -> ActiveConfig:
    """What is in effect at a store, of both types; an empty one where no config of a type applies."""
    resolved = list(resolve_layers(store, catalog))
    applied = [layer for layer in resolved if isinstance(layer, Layer)]
    types = {kind: merge_layers(kind, applied, catalog, lists=options.list_merge) for kind in TYPES}
    unapplied = [layer for layer in resolved if isinstance(layer, UnappliedConfig)]
    return ActiveConfig(store, types, unapplied, options.message_draw)


def _is_set(value: Any, steps: Sequence[str]) -> bool:
    for step in steps:
        if not isinstance(value, Mapping) or step not in value:
            return False
        value = value[step]
    return True
