"""What is in force at a store, made ready to play: worked out once for all sessions there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.clarification import modifiers
from trialrun.runtime.channel_config.dialogue.instructions import Instruction, instructions
from trialrun.runtime.channel_config.dialogue.messages import Drawn, Lots, OfferType, lots
from trialrun.runtime.channel_config.dialogue.tools import Tool, tools
from trialrun.runtime.channel_config.dialogue.understanding import Hearing, hearing
from trialrun.runtime.channel_config.session.cel_state import Shape, shape_of
from trialrun.runtime.channel_config.session.condition import Broken, ready
from trialrun.runtime.channel_config.session.condition_items import Named, named
from trialrun.runtime.channel_config.session.ranking import in_order, is_real

if TYPE_CHECKING:
    from trialrun.model.channel_config import CelUpsell, DisambiguationStrategy, UpsellConfig, UpsellStrategy
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.runtime.channel_config.menu import MenuOfBrand
    from trialrun.runtime.channel_config.origin import Origin
    from trialrun.values.cel import Program, Schema

Types = Callable[[str], "Schema"]
KINDS: Final[Mapping[OfferType, Literal["greeting-offer", "closing-offer"]]] = {
    "greetingOffer": "greeting-offer",
    "closingOffer": "closing-offer",
}


@dataclass(frozen=True, eq=False)
class Upsell:
    """An upsell of the strategy at its place in the order of priorities."""

    config: UpsellConfig
    origin: Origin
    place: int


@dataclass(frozen=True, eq=False)
class Rule(Upsell):
    """A CEL upsell: its condition, the state that it reads, and what it suggests."""

    cel: CelUpsell
    program: Program | Broken
    shape: Shape
    condition_origin: Origin
    modifiers: tuple[str, ...]

    @cached_property
    def is_real(self) -> bool:
        """Whether it is an offer, and not a suggestion that is only shown."""
        return is_real(self.config)

    @cached_property
    def named(self) -> Named:
        """The items that the condition names."""
        return Named(frozenset(), ()) if isinstance(self.program, Broken) else named(self.program.tree)


class Plan:
    """What sessions at a store go by; `plan_of` makes one for a store, a menu and its types."""

    def __init__(self, in_force: InForce, menu: MenuOfBrand, types: Types) -> None:
        self.in_force, self.menu, self.types = in_force, menu, types

    @cached_property
    def strategy(self) -> UpsellStrategy:
        """The upsell strategy, an empty one where there is none."""
        from trialrun.model.channel_config import UpsellStrategy

        return self.in_force.upsell_strategy or UpsellStrategy()

    @cached_property
    def listens_only(self) -> bool:
        """Whether the agent does not speak."""
        return bool(self.in_force.operation("interactionMode") == "LISTEN_ONLY")

    @cached_property
    def default_language(self) -> str | None:
        """The default language for serving customers."""
        found: str | None = self.in_force.operation("defaultLanguageCode")
        return found

    @cached_property
    def hearing(self) -> Hearing:
        """The mappings, ready to listen."""
        found: DisambiguationStrategy | None = self.in_force.operation("disambiguationStrategy")
        return hearing((found and found.mappings) or (), self.menu, self.in_force.origin_of)

    @cached_property
    def ordered(self) -> Sequence[UpsellConfig]:
        """All upsells: the lowest priority first, those of one priority in the order of the list."""
        return in_order(self.strategy.upsells or ())

    @cached_property
    def rules(self) -> Sequence[Rule]:
        """The CEL upsells in the order of priorities, also those that are disabled."""
        return [self._rule(at, one, one.celUpsell) for at, one in enumerate(self.ordered) if one.celUpsell]

    def of_type(self, kind: OfferType) -> Sequence[Upsell]:
        """The greeting offers or the closing offers, in the order of priorities."""
        return self._by_type[kind]

    def drawn(self, kind: OfferType, seed: int) -> Mapping[int, Drawn | None]:
        """The message of a session for each offer of a type, by the identity of its upsell; None where it has none.

        Where the messages of all offers are weighed together, only one of the offers has any.
        """
        found: dict[int, Drawn | None] = {id(one.config): None for one in self.of_type(kind)}
        for weighed in self._lots[kind]:
            if message := weighed.drawn(seed):
                found[id(message.upsell)] = message
        return found

    @cached_property
    def shapes(self) -> Sequence[Shape]:
        """The state as each schema has it that a condition reads; of the brand's file where there is no condition."""
        path = self.in_force.store.brand.path
        return tuple(dict.fromkeys(rule.shape for rule in self.rules)) or (shape_of(self.types(path)),)

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """What the agent is told to go by."""
        return instructions(self.in_force)

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """What the agent can do."""
        return tools(self.in_force)

    @cached_property
    def _by_type(self) -> Mapping[OfferType, Sequence[Upsell]]:
        return {kind: list(self._of_type(kind)) for kind in KINDS}

    @cached_property
    def _lots(self) -> Mapping[OfferType, tuple[Lots, ...]]:
        return {kind: lots(self.strategy, kind, self.in_force.message_draw) for kind in KINDS}

    def _of_type(self, kind: OfferType) -> Iterator[Upsell]:
        for at, one in enumerate(self.ordered):
            if getattr(one, kind):
                yield Upsell(one, self.in_force.origin_of(one), at)

    def _rule(self, place: int, config: UpsellConfig, cel: CelUpsell) -> Rule:
        text, origin = cel.conditionExpression or "", self.in_force.origin_of(config)
        where = self.in_force.origin_of(cel, "conditionExpression") if text else origin
        schema = self.types(where.path)
        suggested = modifiers(cel, self.menu)
        return Rule(config, origin, place, cel, ready(text, schema), shape_of(schema), where, suggested)


_plans: dict[tuple[int, int, int], Plan] = {}


def plan_of(in_force: InForce, menu: MenuOfBrand, types: Types) -> Plan:
    """The plan of a store; the same one for the same objects, which it keeps."""
    key = id(in_force), id(menu), id(types)
    found = _plans.get(key)
    if found is None:
        if len(_plans) >= 64:
            _plans.clear()
        found = _plans[key] = Plan(in_force, menu, types)
    return found
