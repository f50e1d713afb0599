"""Offers of a turn, and the reasons why the other upsells are skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.messages import OFFER_KINDS, DrawnMessage, MessageTexts, OfferType
from trialrun.runtime.channel_config.dialogue.offered_items import upsold_items
from trialrun.runtime.channel_config.session.cel_state import StateBuilder
from trialrun.runtime.channel_config.session.condition import EvaluationState, evaluate_condition
from trialrun.runtime.channel_config.session.plan import PlannedCelUpsell, PlannedUpsell, SessionPlan
from trialrun.runtime.channel_config.session.ranking import most_favored
from trialrun.runtime.channel_config.session.reasons import (
    cel_skip_reasons,
    drawn_skip_reasons,
    less_favored_reason,
    reached_limits,
    undrawn_skip_reasons,
)
from trialrun.runtime.channel_config.session.turn import (
    EvaluatedCondition,
    Offer,
    OfferKind,
    SessionState,
    SkippedUpsell,
    SkipReason,
    Utterance,
)


@dataclass(frozen=True, slots=True)
class TurnOffers:
    """What a turn offers, what it passes over, the conditions that were asked, and the session after it."""

    state: SessionState
    offers: tuple[Offer, ...] = ()
    skipped: tuple[SkippedUpsell, ...] = ()
    conditions: tuple[EvaluatedCondition, ...] = ()
    utterances: tuple[Utterance, ...] = ()


def offer_cel_upsells(state: SessionState, plan: SessionPlan) -> TurnOffers:
    """The upsells of a turn: of the CEL upsells that trigger and are not skipped, the one that is most favored.

    Those that only suggest are shown beside it.
    """
    states: dict[StateBuilder, EvaluationState] = {}
    conditions: dict[PlannedCelUpsell, EvaluatedCondition] = {}
    for upsell in plan.cel_upsells:
        builder = upsell.state_builder
        if upsell.config.disabled:
            continue
        if builder not in states:
            states[builder] = EvaluationState(
                builder.activation(plan.session_values(state), state.lines, state.client_state)
            )
        conditions[upsell] = evaluate_condition(
            upsell.program, states[builder], upsell=upsell.config, origin=upsell.condition_origin
        )
    limits = tuple(reached_limits(state, plan))
    reasons = {
        upsell: tuple(cel_skip_reasons(upsell, conditions.get(upsell), state, plan, limits))
        for upsell in plan.cel_upsells
    }
    real = [upsell for upsell in plan.cel_upsells if upsell.is_real_offer and not reasons[upsell]]
    best = most_favored([upsell.config for upsell in real])
    if best is not None:
        reasons |= {upsell: (less_favored_reason(upsell.config, best),) for upsell in real if upsell.config is not best}
    chosen = [upsell for upsell in plan.cel_upsells if not reasons[upsell]]
    offers = tuple(_cel_offer(upsell, len(real) - 1, state, plan) for upsell in chosen)
    instructions = tuple(
        Utterance(text, "instruction", None, plan.active_config.origin_of(upsell.cel, "triggerReason"))
        for upsell in chosen
        if (text := upsell.cel.triggerReason or "").strip()
    )
    skipped = tuple(_skipped(upsell, reasons[upsell]) for upsell in plan.cel_upsells if reasons[upsell])
    return TurnOffers(_apply_offers(state, chosen, offers), offers, skipped, tuple(conditions.values()), instructions)


def _cel_offer(upsell: PlannedCelUpsell, others: int, state: SessionState, plan: SessionPlan) -> Offer:
    reason = "its condition is true"
    if upsell.is_real_offer and others > 0:
        reason += f", and it is favored over {others} other{'s' if others > 1 else ''}"
    kind: OfferKind = "upsell" if upsell.is_real_offer else "suggestion"
    names, reason = plan.sold_names(upsell.items, state), "; ".join((reason, *upsell.items.notes))
    return Offer(upsell.config, kind, names, upsell.modifiers, None, None, reason, upsell.origin)


def _skipped(upsell: PlannedUpsell, reasons: Sequence[SkipReason]) -> SkippedUpsell:
    return SkippedUpsell(upsell.config, reasons[0], upsell.origin, tuple(reasons[1:]))


def _apply_offers(state: SessionState, upsells: Sequence[PlannedUpsell], offers: Sequence[Offer]) -> SessionState:
    """The session after offers: a real one takes the place of the one that waits, suggestions that of suggestions."""
    if not offers:
        return replace(state, previous=None)
    real = next((offer for offer in offers if offer.kind != "suggestion"), None)
    suggestions = tuple(offer for offer in offers if offer.kind == "suggestion")
    return replace(
        state,
        offered_in_turn={**state.offered_in_turn, **{upsell.position: state.number for upsell in upsells}},
        offers=state.offers + (real is not None),
        open_offer=real or state.open_offer,
        suggestions=suggestions or state.suggestions,
        previous=real.upsell if real else None,
    )


def offer_message(kind: OfferType, state: SessionState, plan: SessionPlan, seed: int) -> TurnOffers:
    """The greeting offer or the closing offer of a session: the first, of those it attempts, that can be made."""
    attempts = plan.attempts(kind, seed)
    drawn = attempts[0][1] if attempts and plan.draws_by_type else None
    chosen: tuple[PlannedUpsell, DrawnMessage] | None = None
    skipped: dict[int, SkippedUpsell] = {}
    for upsell, message in attempts:
        if upsell.config.disabled or (drawn and chosen) or not (message or chosen):
            reasons = tuple(undrawn_skip_reasons(upsell, drawn, plan))
        elif chosen:
            reasons = (less_favored_reason(upsell.config, chosen[0].config),)
        else:
            reasons = tuple(drawn_skip_reasons(upsell, message, state, plan)) if message else ()
        if reasons:
            skipped[upsell.position] = _skipped(upsell, reasons)
        elif message:
            chosen = upsell, message
    in_order = tuple(skipped[position] for position in sorted(skipped))
    if chosen is None:
        return TurnOffers(_apply_offers(state, (), ()), skipped=in_order)
    offer = _message_offer(kind, *chosen, state, plan, instead_of=drawn)
    utterances = (offer.utterance,) if offer.utterance else ()
    return TurnOffers(_apply_offers(state, [chosen[0]], [offer]), (offer,), in_order, (), utterances)


def _message_offer(
    kind: OfferType,
    upsell: PlannedUpsell,
    drawn: DrawnMessage,
    state: SessionState,
    plan: SessionPlan,
    *,
    instead_of: DrawnMessage | None,
) -> Offer:
    config, message = plan.active_config, drawn.message
    text = MessageTexts(message).text_for(state.language, config.default_language)
    utterance = None
    if not isinstance(text, str):
        origin = config.origin_of(text, "messageText")
        utterance = Utterance(text.messageText or "", OFFER_KINDS[kind], text.languageCode, origin)
    if instead_of and instead_of is not drawn:
        reason = f"it steps in for {instead_of.upsell.title}, which is passed over"
    elif drawn.share == 1:
        reason = "its message is the only one"
    else:
        share = f"{float(drawn.share * 100):.4g} % of the sessions"
        reason = f"its message is drawn at random, with a share of {share}"
    items = upsold_items(message, plan.menu)
    names, reason = plan.sold_names(items, state), "; ".join((reason, *items.notes))
    return Offer(upsell.config, OFFER_KINDS[kind], names, (), message.displayName, utterance, reason, upsell.origin)
