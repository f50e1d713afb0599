"""Session plan: the active configuration of a store, prepared once for all of its sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache, partial
from typing import Any

from trialrun.model.channel_config import CelUpsell, DisambiguationStrategy, UpsellConfig, UpsellStrategy
from trialrun.model.node import Node
from trialrun.runtime.channel_config.active_config import ActiveConfig, Origin
from trialrun.runtime.channel_config.availability import Moment
from trialrun.runtime.channel_config.dialogue.messages import (
    OFFER_TYPES,
    DrawnMessage,
    MessageLottery,
    OfferType,
    greeting_choices,
    message_lotteries,
    substitute_lotteries,
)
from trialrun.runtime.channel_config.dialogue.offered_items import OfferedItems, suggested_items, suggested_modifiers
from trialrun.runtime.channel_config.dialogue.understanding import Understanding, build_understanding
from trialrun.runtime.channel_config.menu import BrandMenu, Item
from trialrun.runtime.channel_config.session.actions import subtotal
from trialrun.runtime.channel_config.session.cel_state import (
    StateBuilder,
    replace_surrogates,
    sent_daypart,
    state_builder,
)
from trialrun.runtime.channel_config.session.condition import (
    ConditionBatch,
    EvaluationState,
    InvalidCondition,
    compile_condition,
)
from trialrun.runtime.channel_config.session.condition_items import ConditionItems, condition_items
from trialrun.runtime.channel_config.session.ranking import is_real_offer, sort_by_priority
from trialrun.runtime.channel_config.session.turn import EvaluatedCondition, SessionState
from trialrun.values.cel import Program, Schema
from trialrun.values.language_tag import canonicalize
from trialrun.values.time_zone import is_at_end_of_calendar, load_zone, zone_names

SchemaFor = Callable[[str], Schema]


@dataclass(frozen=True, eq=False)
class PlannedUpsell:
    """An upsell of the strategy at its place in the order of priorities."""

    config: UpsellConfig
    origin: Origin
    position: int


@dataclass(frozen=True, eq=False)
class PlannedCelUpsell(PlannedUpsell):
    """A CEL upsell: its condition, the state that it reads, and what it suggests."""

    cel: CelUpsell
    program: Program | InvalidCondition
    state_builder: StateBuilder
    condition_origin: Origin
    items: OfferedItems
    modifiers: tuple[str, ...]

    @cached_property
    def is_real_offer(self) -> bool:
        """Whether it is an offer, and not a suggestion that is only shown."""
        return is_real_offer(self.config)

    @cached_property
    def condition_items(self) -> ConditionItems:
        """The items that the condition names."""
        if isinstance(self.program, InvalidCondition):
            return ConditionItems(frozenset(), ())
        return condition_items(self.program.tree)


class SessionPlan:
    """What sessions at a store use; `session_plan` makes one for a store, a menu and its types."""

    def __init__(self, active_config: ActiveConfig, menu: BrandMenu, schema_for: SchemaFor) -> None:
        self.active_config, self.menu, self.types = active_config, menu, schema_for
        self.greeting_choices = lru_cache(maxsize=64)(partial(greeting_choices, active_config))
        self._origins: dict[tuple[int | str, ...], Origin] = {}

    def origin_of(self, node: Node, *steps: str | int) -> Origin:
        """Where a message of a config, or a part of it, comes from; found once for all sessions."""
        key = (id(node), *steps)
        if key not in self._origins:
            self._origins[key] = self.active_config.origin_of(node, *steps)
        return self._origins[key]

    def local_time(self, time: datetime) -> datetime:
        """A time in the zone of the store; as it is given if the store has none, or at the ends of the calendar."""
        zone = self.active_config.store.store.timeZone
        has_zone = zone is not None and zone in zone_names() and not is_at_end_of_calendar(time)
        return time.astimezone(load_zone(zone)) if zone and has_zone else time

    def why_unavailable(self, item: Item, state: SessionState) -> str | None:
        """Why an item is not sold in a session; None if it is."""
        if item not in self.menu.offerings:
            return None
        moment = Moment(self.active_config.store.name, state.time, sent_daypart(state.client_state))
        return self.menu.why_unavailable(item, moment)

    def sold_names(self, items: OfferedItems, state: SessionState) -> tuple[str, ...]:
        """What is sold of an offer in a session; what the menu does not have counts as sold."""
        if not self.menu.offerings:
            return items.names
        return tuple(name for name, item in items.pairs if item is None or self.why_unavailable(item, state) is None)

    @cached_property
    def strategy(self) -> UpsellStrategy:
        """The upsell strategy, an empty one if there is none."""
        return self.active_config.upsell_strategy or UpsellStrategy()

    @cached_property
    def initial_language(self) -> str:
        """The language of a customer who has not spoken yet, in its canonical form; empty if there is none."""
        return canonicalize(self.active_config.default_language or "") or ""

    @cached_property
    def understanding(self) -> Understanding:
        """The mappings, ready to listen."""
        strategy: DisambiguationStrategy | None = self.active_config.operations_field("disambiguationStrategy")
        return build_understanding((strategy and strategy.mappings) or (), self.menu, self.origin_of)

    @cached_property
    def upsells(self) -> Sequence[PlannedUpsell]:
        """All upsells: the lowest priority first, those of one priority in the order of the list."""
        upsells = sort_by_priority(self.strategy.upsells or ())
        origin_of = self.active_config.origin_of
        return [PlannedUpsell(upsell, origin_of(upsell), position) for position, upsell in enumerate(upsells)]

    @cached_property
    def cel_upsells(self) -> Sequence[PlannedCelUpsell]:
        """The CEL upsells in the order of priorities, also those that are disabled."""
        planned: list[PlannedCelUpsell] = []
        for upsell in self.upsells:
            if cel := upsell.config.celUpsell:
                text, origin = cel.conditionExpression or "", upsell.origin
                origin = self.active_config.origin_of(cel, "conditionExpression") if text else origin
                schema = self.types(origin.path)
                program, builder = compile_condition(text, schema), state_builder(schema)
                items, modifiers = suggested_items(cel, self.menu), suggested_modifiers(cel, self.menu)
                which = upsell.config, upsell.origin, upsell.position
                planned.append(PlannedCelUpsell(*which, cel, program, builder, origin, items, modifiers))
        return planned

    @cached_property
    def _conditions(self) -> Sequence[tuple[Sequence[PlannedCelUpsell], ConditionBatch]]:
        """The enabled CEL upsells with a condition that can be evaluated, by the state that they read."""
        programs: dict[StateBuilder, dict[PlannedCelUpsell, Program]] = {}
        for upsell in self.cel_upsells:
            if isinstance(upsell.program, Program) and not upsell.config.disabled:
                programs.setdefault(upsell.state_builder, {})[upsell] = upsell.program
        return [(list(batch), ConditionBatch(list(batch.values()), builder)) for builder, batch in programs.items()]

    @cached_property
    def _invalid_conditions(self) -> Mapping[PlannedCelUpsell, str]:
        return {one: one.program.error for one in self.cel_upsells if isinstance(one.program, InvalidCondition)}

    def evaluate_conditions(self, state: SessionState) -> dict[PlannedCelUpsell, EvaluatedCondition]:
        """The conditions of the enabled CEL upsells on the state of a turn; an error is a value too."""
        failed: dict[PlannedCelUpsell, str | None] = dict(self._invalid_conditions)
        states: dict[StateBuilder, EvaluationState] = {}
        read = self.session_values(state), state.lines, state.client_state
        for upsells, batch in self._conditions:
            states[batch.builder] = EvaluationState(partial(batch.builder.prepare, *read), batch.builder.schema)
            failed |= {upsells[index]: error for index, error in batch.failed_checks(*read).items()}
        evaluated = {}
        for upsell in self.cel_upsells:
            if not upsell.config.disabled:
                error, where = failed.get(upsell), states.get(upsell.state_builder)
                value = upsell not in failed if error is None else None
                found = upsell.config, value, error, upsell.condition_origin, upsell.program, where
                evaluated[upsell] = EvaluatedCondition(*found)
        return evaluated

    def attempts(self, kind: OfferType, seed: int) -> Sequence[tuple[PlannedUpsell, DrawnMessage | None]]:
        """The offers of a type as a session attempts them, each with its message; None if it has none.

        Where the messages of all offers are weighed together, the offer whose message is drawn goes first, and the
        others step in for it by priority; if none is drawn, no offer has any.
        """
        drawn = [message for lottery in self._lotteries[kind] if (message := lottery.draw(seed))]
        messages = {id(message.upsell): message for message in drawn}
        if self.draws_by_type and drawn:
            substitutes = {upsell: lottery.draw(seed) for upsell, lottery in self._substitutes[kind].items()}
            messages = {upsell: message for upsell, message in substitutes.items() if message} | messages
        of_type = (upsell for upsell in self.upsells if getattr(upsell.config, kind))
        attempts = [(upsell, messages.get(id(upsell.config))) for upsell in of_type]
        if self.draws_by_type and drawn:
            attempts.sort(key=lambda attempt: attempt[0].config is not drawn[0].upsell)
        return attempts

    @cached_property
    def draws_by_type(self) -> bool:
        """Whether the messages of all offers of a type are weighed together."""
        return self.active_config.message_draw == "type"

    @cached_property
    def state_builders(self) -> Sequence[StateBuilder]:
        """The state as each schema has it that a condition reads; of the brand's file where there is no condition."""
        builders = tuple(dict.fromkeys(upsell.state_builder for upsell in self.cel_upsells))
        return builders or (state_builder(self.types(self.active_config.store.brand.path)),)

    def session_values(self, state: SessionState) -> dict[str, dict[str, Any]]:
        """What a session knows of itself at a turn, by variable and field; the items of the order come beside."""
        language = state.language or self.initial_language
        return {
            "order": {"subtotal": subtotal(state.lines)},
            "session": {
                "store": replace_surrogates(self.active_config.store.name),
                "languageCode": replace_surrogates(language),
                "turn": max(state.number, 0),
                "upsellOffers": state.offers,
                "upsellDeclines": state.declines,
                "startTime": state.time.astimezone(UTC),
            },
        }

    @cached_property
    def _lotteries(self) -> Mapping[OfferType, tuple[MessageLottery, ...]]:
        return {kind: message_lotteries(self.strategy, kind, self.active_config.message_draw) for kind in OFFER_TYPES}

    @cached_property
    def _substitutes(self) -> Mapping[OfferType, Mapping[int, MessageLottery]]:
        return {kind: substitute_lotteries(kind, self._lotteries[kind][0]) for kind in OFFER_TYPES}


MAX_PLANS = 4
"""Plans that an active configuration keeps: nearly always one, since a store has one menu and one set of types."""


def session_plan(active_config: ActiveConfig, menu: BrandMenu, types: SchemaFor) -> SessionPlan:
    """The plan of a store for a menu and types, which is kept with its active configuration."""
    plans: list[SessionPlan] = active_config.session_plans
    for plan in plans:
        if plan.menu is menu and plan.types == types:
            return plan
    plans.append(SessionPlan(active_config, menu, types))
    del plans[:-MAX_PLANS]
    return plans[-1]
