"""Offers of a turn, and the reasons why the other upsells are skipped: docs/session.md has a row for each reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from unicodedata import normalize

from trialrun.model.channel_config import UpsellConfig
from trialrun.runtime.channel_config.dialogue import messages
from trialrun.runtime.channel_config.dialogue.messages import OFFER_KINDS, DrawnMessage, OfferType
from trialrun.runtime.channel_config.dialogue.offered_items import OfferedItems, upsold_items
from trialrun.runtime.channel_config.menu import Item, all_names
from trialrun.runtime.channel_config.session.plan import PlannedCelUpsell, PlannedUpsell, SessionPlan
from trialrun.runtime.channel_config.session.ranking import cel_priority, most_favored
from trialrun.runtime.channel_config.session.turn import (
    EvaluatedCondition,
    Offer,
    OfferKind,
    SessionState,
    SkippedUpsell,
    SkipReason,
    Utterance,
)

DISABLED = SkipReason("it is disabled", "disabled")
LISTENS_ONLY = SkipReason(messages.LISTENS_ONLY, "listen-only")
FALSE = SkipReason("its condition is false", "condition-false")


def cel_skip_reasons(
    upsell: PlannedCelUpsell,
    condition: EvaluatedCondition,
    state: SessionState,
    plan: SessionPlan,
    limits: Sequence[SkipReason],
) -> Iterator[SkipReason]:
    """Why an enabled CEL upsell is skipped; empty if it may be offered. `limits` are the reached limits."""
    if plan.active_config.listens_only:
        yield LISTENS_ONLY
    if turn := state.offered_in_turn.get(upsell.position):
        yield SkipReason(f"it was {'offered' if upsell.is_real_offer else 'shown'} in turn {turn}", "offered-before")
    if condition.error is not None:
        yield SkipReason(f"its condition fails: {condition.error}", "condition-error")
    elif not condition.value:
        yield FALSE
    if upsell.is_real_offer:
        yield from limits
    yield from _previous_turn_reason(upsell, state)
    skips_several = upsell.config.skipOnMultiQuantityUpsoldFromItem
    if skips_several and (several := upsell.condition_items.item_with_several(state.lines)):
        name, count = several
        yield SkipReason(f'"{name}", which the condition names, has quantity {count}', "multi-quantity")
    yield from _unavailable(upsell.items, state, plan)


def reached_limits(state: SessionState, plan: SessionPlan) -> Iterator[SkipReason]:
    """The reached limits of the strategy."""
    strategy = plan.strategy
    offers, declines = strategy.maxUpsellOffers, strategy.maxUpsellDeclines
    if offers is not None and state.offers >= offers:
        text = f"{_count_text(state.offers, offers, 'offer')} made" if offers else "maxUpsellOffers is 0"
        yield SkipReason(text, "max-offers")
    if declines is not None and state.declines >= declines:
        text = f"{_count_text(state.declines, declines, 'decline')} counted" if declines else "maxUpsellDeclines is 0"
        yield SkipReason(text, "max-declines")
    if state.cart_limit:
        turn, count = state.cart_limit
        items = f"{count} item{'s' if count != 1 else ''}"
        now = f"the order has {items}" if turn == state.number else f"the order had {items} in turn {turn}"
        yield SkipReason(f"{now}, more than maxItemsInCart {strategy.maxItemsInCart}", "max-items")


def _count_text(count: int, limit: int, noun: str) -> str:
    return f"{count} of {limit} {noun}{' is' if limit == 1 else 's are'}"


def _previous_turn_reason(upsell: PlannedUpsell, state: SessionState) -> Iterator[SkipReason]:
    if upsell.config.skipOnPreviousTurnUpsell and state.previous is not None:
        yield SkipReason(f"the previous turn offered {state.previous.title}", "previous-turn")


def less_favored_reason(upsell: UpsellConfig, best: UpsellConfig) -> SkipReason:
    """Why, of two CEL upsells that trigger, or of two offers at the same occasion, the other is preferred."""
    if cel_priority(best) != cel_priority(upsell):
        explanation = f"celUpsell.priority {cel_priority(best)} over {cel_priority(upsell)}"
    elif best.priority != upsell.priority:
        explanation = f"priority {best.priority} before {upsell.priority}"
    else:
        explanation = f"both have priority {upsell.priority}, and it comes first in the list"
    return SkipReason(f"{best.title} is favored: {explanation}", "less-favored")


def undrawn_skip_reasons(upsell: PlannedUpsell, drawn: DrawnMessage | None, plan: SessionPlan) -> Iterator[SkipReason]:
    """Why a greeting or closing offer without a drawn message is skipped; `drawn` is that of another offer."""
    if upsell.config.disabled:
        yield DISABLED
        return
    if plan.active_config.listens_only:
        yield LISTENS_ONLY
    if drawn is None:
        yield SkipReason("the message frequencies give this session no message", "frequency")
        return
    which = f'"{drawn.message.displayName}" of ' if drawn.message.displayName else "one of "
    yield SkipReason(f"the message of this session is {which}{drawn.upsell.title}", "frequency")


def drawn_skip_reasons(
    upsell: PlannedUpsell, drawn: DrawnMessage, state: SessionState, plan: SessionPlan
) -> Iterator[SkipReason]:
    """Why a greeting or closing offer whose message was drawn is skipped; empty if it may be made."""
    if plan.active_config.listens_only:
        yield LISTENS_ONLY
    yield from reached_limits(state, plan)
    if upsell.config.closingOffer:
        yield from _previous_turn_reason(upsell, state)
    skipping = ((term, skipping_name(line.line_item.item, term)) for term in drawn.skip_terms for line in state.lines)
    if found := next(((term, name) for term, name in skipping if name), None):
        yield SkipReason(f'"{found[0]}" is in "{found[1]}"', "skip-term")
    yield from _unavailable(upsold_items(drawn.message, plan.menu), state, plan)
    text = drawn.texts.text_for(state.language, plan.active_config.default_language)
    if isinstance(text, str):
        yield SkipReason(text, "no-language")


def _unavailable(items: OfferedItems, state: SessionState, plan: SessionPlan) -> Iterator[SkipReason]:
    """Why an offer of which nothing is sold is passed over; an offer without items is made."""
    if plan.menu.offerings and items.names and not plan.sold_names(items, state):
        name, item = items.pairs[0]
        why = plan.why_unavailable(item, state) if item else None
        yield SkipReason(f'"{name}" is not available: {why}', "unavailable")


def skipping_name(item: Item, term: str) -> str | None:
    """The first name of an item that contains a skip term, of all that it has."""
    return next((name for name in all_names(item) if has_skip_term(name, term)), None)


def has_skip_term(name: str, term: str) -> bool:
    """Whether a name of an item contains a skip term."""
    return _folded(term) in _folded(name)


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    """A text as it is compared: in lower case, with single spaces, in NFC."""
    return " ".join(normalize("NFC", text.casefold()).split())


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
    conditions = plan.evaluate_conditions(state)
    limits = tuple(reached_limits(state, plan))
    skipped: dict[PlannedCelUpsell, SkippedUpsell] = {}
    triggered: list[PlannedCelUpsell] = []
    for upsell in plan.cel_upsells:
        if upsell.config.disabled:
            skipped[upsell] = _disabled(upsell)
            continue
        explain = partial(cel_skip_reasons, upsell, conditions[upsell], state, plan, limits)
        if reason := next(explain(), None):
            skipped[upsell] = SkippedUpsell(upsell.config, reason.text, reason.code, explain, upsell.origin)
        else:
            triggered.append(upsell)
    if not triggered:
        return TurnOffers(_apply_offers(state, (), ()), (), tuple(skipped.values()), tuple(conditions.values()))
    real = [upsell for upsell in triggered if upsell.is_real_offer]
    best = most_favored([upsell.config for upsell in real])
    for upsell in real:
        if best is not None and upsell.config is not best:
            skipped[upsell] = _skipped(upsell, (less_favored_reason(upsell.config, best),))
    chosen = [upsell for upsell in triggered if upsell not in skipped]
    offers = tuple(_cel_offer(upsell, len(real) - 1, state, plan) for upsell in chosen)
    instructions = tuple(
        Utterance(text, "instruction", None, plan.origin_of(upsell.cel, "triggerReason"))
        for upsell in chosen
        if (text := upsell.cel.triggerReason or "").strip()
    )
    in_order = tuple(skipped[upsell] for upsell in plan.cel_upsells if upsell in skipped)
    return TurnOffers(_apply_offers(state, chosen, offers), offers, in_order, tuple(conditions.values()), instructions)


def _cel_offer(upsell: PlannedCelUpsell, others: int, state: SessionState, plan: SessionPlan) -> Offer:
    reason = "its condition is true"
    if upsell.is_real_offer and others > 0:
        reason += f", and it is favored over {others} other{'s' if others > 1 else ''}"
    kind: OfferKind = "upsell" if upsell.is_real_offer else "suggestion"
    names, reason = plan.sold_names(upsell.items, state), "; ".join((reason, *upsell.items.notes))
    return Offer(upsell.config, kind, None, None, names, upsell.modifiers, reason, upsell.origin)


def _skipped(upsell: PlannedUpsell, reasons: Sequence[SkipReason]) -> SkippedUpsell:
    return SkippedUpsell(upsell.config, reasons[0].text, reasons[0].code, partial(iter, reasons), upsell.origin)


@lru_cache(maxsize=1024)
def _disabled(upsell: PlannedUpsell) -> SkippedUpsell:
    """A disabled upsell, which is skipped in the same way in all turns."""
    return _skipped(upsell, (DISABLED,))


def _apply_offers(state: SessionState, upsells: Sequence[PlannedUpsell], offers: Sequence[Offer]) -> SessionState:
    """The session after offers: a real one takes the place of the one that waits, suggestions that of suggestions."""
    if not offers:
        return state if state.previous is None else state._replace(previous=None)
    real = next((offer for offer in offers if offer.kind != "suggestion"), None)
    suggestions = tuple(offer for offer in offers if offer.kind == "suggestion")
    return state._replace(
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
    text = drawn.texts.text_for(state.language, config.default_language)
    utterance = None
    if not isinstance(text, str):
        origin = plan.origin_of(text, "messageText")
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
    return Offer(upsell.config, OFFER_KINDS[kind], utterance, message.displayName, names, (), reason, upsell.origin)
