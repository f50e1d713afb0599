"""What the configs of one type make together at a store, and where each value of it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from trialrun.diagnostic import Path, Place, json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY
from trialrun.runtime.channel_config.conflicts import set_twice
from trialrun.runtime.channel_config.layers import Layer
from trialrun.runtime.channel_config.level import ResolvedType
from trialrun.runtime.channel_config.merge_keys import Plain
from trialrun.runtime.channel_config.origin import Origin
from trialrun.runtime.channel_config.overlay import Lists, Message, Tree, Whole, overlay, part, settings

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.node import Node
    from trialrun.model.validated import Fitted
    from trialrun.runtime.channel_config.catalog import BrandCatalog

LABELS: Final = (("operationsConfig", "displayName"), ("operationsConfig", "description"))
"""Fields that change nothing, so that two configs may well have different ones."""


def plain(config: ChannelConfig) -> Plain:
    """What a config does, as plain JSON: the fields with usable values, without those that say which one it is."""
    return config.model_dump(
        exclude=set(CHANNEL_CONFIG_IDENTITY), exclude_unset=True, exclude_none=True, warnings=False
    )


@dataclass(frozen=True)
class Clash:
    """Two settings of which only the order in which they are written says which one counts.

    `level`: two configs of one level set the same to different values. `priority`: two enabled upsells of the
    effective strategy have one priority. `settled` is what a higher level sets in place of both, so that the clash has
    no effect at this store.
    """

    sort: Literal["level", "priority"]
    pointer: str
    winner: Origin
    loser: Origin
    settled: Origin | None = None


@dataclass(frozen=True, eq=False)
class Effective:
    """The configuration of one type that is effective at a store; `layers` are the configs that it is made of."""

    type: ResolvedType
    layers: Sequence[Layer]
    tree: Tree[Layer] | None = field(repr=False)

    @property
    def value(self) -> dict[str, Any]:
        """The configuration as plain JSON; shared, so it is only to be read."""
        return self.tree.value if isinstance(self.tree, Message | Whole) else {}

    @property
    def node(self) -> ChannelConfig:
        """The configuration as a model, with its type and without a name."""
        node: ChannelConfig = self._fitted.node  # type: ignore[assignment]
        return node

    @cached_property
    def origins(self) -> Mapping[str, Origin]:
        """Where each part comes from, by its JSON pointer.

        These are all scalars, empty messages, lists that are a value as a whole, and members of a union that took the
        place of another.
        """
        found = settings(self.tree) if self.layers and self.tree else ()
        return {json_pointer(path): origin(tree) for path, tree in found}

    def origin(self, pointer: str) -> Origin:
        """Where what stands at a JSON pointer comes from; a message is from the last config that has a part in it.

        Raises KeyError where nothing stands there.
        """
        found = part(self.tree, _path(pointer)) if self.tree else None
        if found is None:
            raise KeyError(pointer)
        return origin(found)

    def origin_of(self, node: Node, *steps: str | int) -> Origin:
        """Where a message of `node`, or what the steps lead to from it, comes from."""
        return self.origin(json_pointer(self._fitted.path(Place(node, steps))))

    def has(self, node: Node) -> bool:
        """Whether a message is part of `node`."""
        return id(node) in self._messages

    @cached_property
    def clashes(self) -> Sequence[Clash]:
        """Where only the order of writing decides, in the order of the configuration."""
        if self.tree is None:
            return ()
        return (*_level_clashes(self.tree), *self._priority_clashes())

    @cached_property
    def _fitted(self) -> Fitted:
        from trialrun.model.channel_config import ChannelConfig
        from trialrun.model.validate import fit

        return fit({"type": self.type, **self.value}, ChannelConfig)

    @cached_property
    def _messages(self) -> frozenset[int]:
        return frozenset(id(node) for node in _messages(self.node))

    def _priority_clashes(self) -> Iterator[Clash]:
        """Two enabled upsells of one priority: the earlier in the list goes first."""
        first: dict[int, str] = {}
        strategy = self.value.get("operationsConfig", {}).get("upsellStrategy", {})
        for index, upsell in enumerate(strategy.get("upsells", ())):
            priority = upsell.get("priority")
            if priority is None or upsell.get("disabled"):
                continue
            pointer = f"/operationsConfig/upsellStrategy/upsells/{index}/priority"
            winner = first.setdefault(priority, pointer)
            if winner != pointer:
                yield Clash("priority", pointer, self.origin(winner), self.origin(pointer))


def effective(type: ResolvedType, layers: Sequence[Layer], catalog: BrandCatalog, *, lists: Lists) -> Effective:
    """What the layers of a type make together. What stores of a brand share is worked out once."""
    ours = tuple(layer for layer in layers if layer.config.node.type == type)
    tree: Tree[Layer] | None = None
    key: tuple[Any, ...] = ("effective", lists)
    for layer in ours:
        key = (*key, layer)
        tree = catalog.memory.get(key) or overlay(tree, layer, _plain_of(layer, catalog), lists=lists)
        if layer.level in ("brand-default", "brand-binding"):
            catalog.memory[key] = tree
    return Effective(type, ours, tree)


def _plain_of(layer: Layer, catalog: BrandCatalog) -> Plain:
    key = ("plain", id(layer.config))
    if key not in catalog.memory:
        catalog.memory[key] = plain(layer.config.node)
    found: Plain = catalog.memory[key]
    return found


def origin(tree: Tree[Layer]) -> Origin:
    """Where a part of an effective configuration comes from."""
    overrode = tuple(_one(beneath) for beneath in _beneath(tree))
    return _one(tree, overrode)


def _one(tree: Tree[Layer], overrode: tuple[Origin, ...] = ()) -> Origin:
    layer = tree.by
    return Origin(layer.level, layer.rule, layer.config, Place(layer.config.node, tree.path), tree.value, overrode)


def _beneath(tree: Tree[Layer]) -> Iterator[Tree[Layer]]:
    """What a value took the place of, the last first."""
    here = tree.beneath
    while here is not None:
        yield here
        here = here.beneath


def _level_clashes(tree: Tree[Layer]) -> Iterator[Clash]:
    for one in set_twice(tree, lambda layer: layer.level):
        if one.path not in LABELS:
            settled = origin(one.settled) if one.settled else None
            yield Clash("level", json_pointer(one.path), origin(one.winner), origin(one.loser), settled)


def _messages(root: Node) -> Iterator[Node]:
    from trialrun.model.node import parts

    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        yield node
        for name, listed, _ in parts(type(node)):
            inner = getattr(node, name)
            stack += (inner or ()) if listed else ([] if inner is None else [inner])


def _path(pointer: str) -> Path:
    """The path of a JSON pointer; what looks like an index is one, since no field of a config does."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    return tuple(int(step) if step.isdecimal() else step for step in steps)


__all__ = ["Clash", "Effective", "effective", "origin", "plain"]
