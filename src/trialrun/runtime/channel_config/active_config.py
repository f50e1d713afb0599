"""The active configuration of a store: each config type with the origins of its values, and which a session reads.

It also names the rows of docs/assumptions.md that it rests on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NotRequired, cast

from pydantic import Field, PlainSerializer
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.diagnostic import Path, Range, SymbolicLocation, json_pointer, pointer_steps
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY
from trialrun.model.node import Node, message_fields
from trialrun.runtime.channel_config.layers import (
    BRAND_LEVELS,
    TYPES,
    Layer,
    Level,
    ResolvedType,
    UnappliedConfig,
    resolve_layers,
)
from trialrun.runtime.channel_config.overlay import (
    ListMerge,
    MergedList,
    MergedMessage,
    MergedTree,
    Plain,
    UnmergedValue,
    find_part,
    overlay_all,
    same_level_conflicts,
    set_values,
)
from trialrun.runtime.declaration import BrandCatalog, DeclaredResource, DeclaredStore
from trialrun.runtime.options import DEFAULT_OPTIONS, MessageDraw, Options
from trialrun.serialization import FilePath, LineNumber, Opaque

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig, UpsellStrategy
    from trialrun.model.validated import ValidatedModel


@dataclass(frozen=True)
class Origin:
    """The origin of a value: the config and level that set it, its location, and the values it overrode, last first.

    `rule` is the config application rule whose binding applies the config; None for a default.
    """

    level: Level
    rule: str | None
    config: DeclaredResource[ChannelConfig]
    place: SymbolicLocation
    value: Any
    overrode: tuple[Origin, ...] = ()

    @property
    def name(self) -> str:
        """The resource name of the config."""
        return self.config.node.name or ""

    @property
    def path(self) -> str:
        """The displayed path of the config's file."""
        return self.config.path

    @cached_property
    def range(self) -> Range:
        """The range of the value in the file."""
        return self.config.locate(self.place)

    @property
    def line(self) -> int:
        """The line of the value, from 1."""
        return self.range.start.line


class ConfigOrigin(TypedDict):
    """Where a value comes from."""

    level: Level
    rule: NotRequired[Annotated[str, Field(description="the config application rule; only for a binding")]]
    config: Annotated[str | None, Field(description="the name of the ChannelConfig")]
    path: FilePath
    line: LineNumber


def origin_object(origin: Origin) -> ConfigOrigin:
    """The level, the rule of a binding, the config, and its file and line."""
    config, path, line = origin.name, origin.path, origin.line
    if origin.rule is None:
        return {"level": origin.level, "config": config, "path": path, "line": line}
    return {"level": origin.level, "rule": origin.rule, "config": config, "path": path, "line": line}


FromOrigin = Annotated[Origin, Opaque, PlainSerializer(origin_object), Field(serialization_alias="from")]
"""The origin of what a result has, under the key `from`."""
LABEL_PATHS: Final = (("operationsConfig", "displayName"), ("operationsConfig", "description"))
"""Fields without effect, which may differ between configs."""


def plain_config(config: ChannelConfig) -> Plain:
    """The effect of a config as plain JSON: the fields with valid values, without those that identify it."""
    return config.model_dump(
        exclude=set(CHANNEL_CONFIG_IDENTITY), exclude_unset=True, exclude_none=True, warnings=False
    )


@dataclass(frozen=True)
class Conflict:
    """Two settings of which only their order decides which one is effective.

    `level`: two configs of one level set a field to different values. `priority`: two enabled upsells of the effective
    strategy have the same priority. `pointer` is where the loser is, `winner_pointer` where the winner is. `settled` is
    the value that a higher level sets instead of both, so that the conflict has no effect at this store.
    """

    kind: Literal["level", "priority"]
    pointer: str
    winner_pointer: str
    winner: Origin
    loser: Origin
    settled: Origin | None = None


@dataclass(frozen=True, eq=False)
class EffectiveConfig:
    """The effective configuration of one type at a store; `layers` are the configs that it is merged from."""

    type: ResolvedType
    layers: Sequence[Layer]
    tree: MergedTree[Layer] | None = field(repr=False)

    @property
    def value(self) -> dict[str, Any]:
        """The configuration as plain JSON; shared, must not be modified."""
        return self.tree.value if isinstance(self.tree, MergedMessage | UnmergedValue) else {}

    @property
    def node(self) -> ChannelConfig:
        """The configuration as a model, with its type and without a name."""
        return cast("ChannelConfig", self._validated.node)

    @cached_property
    def origins(self) -> Mapping[str, Origin]:
        """The origins of scalars, empty messages, lists that are one value, and replaced members, by JSON pointer."""
        values = set_values(self.tree) if self.tree else ()
        return {json_pointer(path): tree_origin(tree) for path, tree in values}

    def origin(self, pointer: str) -> Origin:
        """The origin of the value at a JSON pointer; for a message, that of the last config with a part in it.

        Raises KeyError if there is no value.
        """
        tree_part = find_part(self.tree, parse_pointer(pointer)) if self.tree else None
        if tree_part is None:
            raise KeyError(pointer)
        return tree_origin(tree_part)

    def origin_of(self, node: Node, *steps: str | int) -> Origin:
        """The origin of a message of `node`, or of a part of it."""
        return self.origin(json_pointer(self._validated.path(SymbolicLocation(node, steps))))

    def contains(self, node: Node) -> bool:
        """Whether a message is part of `node`."""
        return id(node) in self._message_ids

    @cached_property
    def conflicts(self) -> Sequence[Conflict]:
        """The conflicts, in the order of the configuration."""
        return (*self._level_conflicts(), *self._priority_conflicts())

    def _level_conflicts(self) -> Iterator[Conflict]:
        conflicts = same_level_conflicts(self.tree, lambda layer: layer.level) if self.tree else ()
        for path, winner, loser, settled in conflicts:
            if path not in LABEL_PATHS:
                pointer = json_pointer(path)
                overriding = tree_origin(settled) if settled else None
                yield Conflict("level", pointer, pointer, tree_origin(winner), tree_origin(loser), overriding)

    def _priority_conflicts(self) -> Iterator[Conflict]:
        """Pairs of enabled upsells with the same priority, of which the earlier one in the list wins."""
        first: dict[int, str] = {}
        strategy = self.value.get("operationsConfig", {}).get("upsellStrategy", {})
        for index, upsell in enumerate(strategy.get("upsells", ())):
            priority = upsell.get("priority")
            if priority is None or upsell.get("disabled"):
                continue
            pointer = f"/operationsConfig/upsellStrategy/upsells/{index}/priority"
            winner = first.setdefault(priority, pointer)
            if winner != pointer:
                yield Conflict("priority", pointer, winner, self.origin(winner), self.origin(pointer))

    @cached_property
    def _validated(self) -> ValidatedModel:
        from trialrun.model.channel_config import ChannelConfig
        from trialrun.model.validate import validate

        return validate({"type": self.type, **self.value}, ChannelConfig)

    @cached_property
    def _message_ids(self) -> frozenset[int]:
        ids: set[int] = set()
        stack: list[Node] = [self.node]
        while stack:
            node = stack.pop()
            ids.add(id(node))
            for name, is_list, _ in message_fields(type(node)):
                value = getattr(node, name)
                stack += (value or ()) if is_list else ([] if value is None else [value])
        return frozenset(ids)


def merge_layers(
    type: ResolvedType, layers: Sequence[Layer], catalog: BrandCatalog, *, lists: ListMerge
) -> EffectiveConfig:
    """Merge the layers of a type; what the stores of a brand share is computed once."""
    own_layers = tuple(layer for layer in layers if layer.config.node.type == type)

    def plain(layer: Layer) -> Plain:
        key = ("plain", id(layer.config))
        if key not in catalog.cache:
            catalog.cache[key] = plain_config(layer.config.node)
        return cast("Plain", catalog.cache[key])

    sources = [(layer, layer.level in BRAND_LEVELS) for layer in own_layers]
    shared = catalog.cache.setdefault(("effective", lists), {})
    key = ("of brand", type, own_layers)
    if key not in shared:
        merged = EffectiveConfig(type, own_layers, overlay_all(sources, plain, shared, lists=lists))
        if not all(is_shared for _, is_shared in sources):
            return merged
        shared[key] = merged
    return cast("EffectiveConfig", shared[key])


def tree_origin(tree: MergedTree[Layer]) -> Origin:
    """The origin of a part of an effective configuration."""
    overrode: list[Origin] = []
    current = tree.overridden
    while current is not None:
        overrode.append(_origin(current))
        current = current.overridden
    return _origin(tree, tuple(overrode))


def _origin(tree: MergedTree[Layer], overrode: tuple[Origin, ...] = ()) -> Origin:
    layer = tree.setter
    place = SymbolicLocation(layer.config.node, tree.path)
    return Origin(layer.level, layer.rule, layer.config, place, tree.value, overrode)


def parse_pointer(pointer: str) -> Path:
    """The path of a JSON pointer; numbers are indexes, since no field of a config is numeric."""
    return tuple(int(step) if step.isdecimal() else step for step in pointer_steps(pointer))


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

    @cached_property
    def upsell_strategy(self) -> UpsellStrategy | None:
        """The upsell strategy of the config for upsells, else the one of the config for the agent."""
        return cast("UpsellStrategy | None", self.operations_field("upsellStrategy"))

    def operations_field(self, field: str) -> Any:
        """A field of operationsConfig, from the type that a session takes it from; None if neither sets it."""
        return self.field("operationsConfig", field)

    @cached_property
    def listens_only(self) -> bool:
        """Whether the agent says nothing."""
        return bool(self.operations_field("interactionMode") == "LISTEN_ONLY")

    @cached_property
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

    @property
    def documents(self) -> Iterator[DeclaredResource[Any]]:
        """The brand of the store, and the config of each layer."""
        yield self.store.brand
        yield from (layer.config for effective in self.types.values() for layer in effective.layers)

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
    unapplied = tuple(layer for layer in resolved if isinstance(layer, UnappliedConfig))
    return ActiveConfig(store, types, unapplied, options.message_draw)


def _is_set(value: Any, steps: Sequence[str]) -> bool:
    for step in steps:
        if not isinstance(value, Mapping) or step not in value:
            return False
        value = value[step]
    return True
