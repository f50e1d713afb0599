"""Reasons why upsells are skipped, the deciding one first; `docs/session.md` has a row for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from unicodedata import normalize

from trialrun.runtime.channel_config.dialogue import messages
from trialrun.runtime.channel_config.dialogue.offered_items import OfferedItems, upsold_items
from trialrun.runtime.channel_config.menu import all_names
from trialrun.runtime.channel_config.session.ranking import cel_priority
from trialrun.runtime.channel_config.session.turn import SkipReason

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.dialogue.messages import DrawnMessage
    from trialrun.runtime.channel_config.menu import Item
    from trialrun.runtime.channel_config.session.plan import PlannedCelUpsell, PlannedUpsell, SessionPlan
    from trialrun.runtime.channel_config.session.turn import EvaluatedCondition, SessionState

DISABLED = SkipReason("disabled", "it is disabled")
LISTENS_ONLY = SkipReason("listen-only", messages.LISTENS_ONLY)
FALSE = SkipReason("condition-false", "its condition is false")


def cel_skip_reasons(
    upsell: PlannedCelUpsell,
    condition: EvaluatedCondition | None,
    state: SessionState,
    plan: SessionPlan,
    limits: Sequence[SkipReason],
) -> Iterator[SkipReason]:
    """Why a CEL upsell is skipped; empty if it may be offered.

    `condition` is None for a disabled upsell, `limits` are the reached limits.
    """
    if condition is None:
        yield DISABLED
        return
    if plan.active_config.listens_only:
        yield LISTENS_ONLY
    if turn := state.offered_in_turn.get(upsell.position):
        yield SkipReason("offered-before", f"it was {'offered' if upsell.is_real_offer else 'shown'} in turn {turn}")
    if condition.error is not None:
        yield SkipReason("condition-error", f"its condition fails: {condition.error}")
    elif not condition.value:
        yield FALSE
    if upsell.is_real_offer:
        yield from limits
    yield from _previous_turn_reason(upsell, state)
    skips_several = upsell.config.skipOnMultiQuantityUpsoldFromItem
    if skips_several and (several := upsell.condition_items.item_with_several(state.lines)):
        name, count = several
        yield SkipReason("multi-quantity", f'"{name}", which the condition names, has quantity {count}')
    yield from _unavailable(upsell.items, state, plan)


def reached_limits(state: SessionState, plan: SessionPlan) -> Iterator[SkipReason]:
    """The reached limits of the strategy."""
    strategy = plan.strategy
    offers, declines = strategy.maxUpsellOffers, strategy.maxUpsellDeclines
    if offers is not None and state.offers >= offers:
        text = f"{_count_text(state.offers, offers, 'offer')} made" if offers else "maxUpsellOffers is 0"
        yield SkipReason("max-offers", text)
    if declines is not None and state.declines >= declines:
        text = f"{_count_text(state.declines, declines, 'decline')} counted" if declines else "maxUpsellDeclines is 0"
        yield SkipReason("max-declines", text)
    if state.cart_limit:
        turn, count = state.cart_limit
        items = f"{count} item{'s' if count != 1 else ''}"
        now = f"the order has {items}" if turn == state.number else f"the order had {items} in turn {turn}"
        yield SkipReason("max-items", f"{now}, more than maxItemsInCart {strategy.maxItemsInCart}")


def _count_text(count: int, limit: int, noun: str) -> str:
    return f"{count} of {limit} {noun}{' is' if limit == 1 else 's are'}"


def _previous_turn_reason(upsell: PlannedUpsell, state: SessionState) -> Iterator[SkipReason]:
    if upsell.config.skipOnPreviousTurnUpsell and state.previous is not None:
        yield SkipReason("previous-turn", f"the previous turn offered {state.previous.title}")


def less_favored_reason(upsell: UpsellConfig, best: UpsellConfig) -> SkipReason:
    """Why, of two CEL upsells that trigger, or of two offers at the same occasion, the other is preferred."""
    if cel_priority(best) != cel_priority(upsell):
        explanation = f"celUpsell.priority {cel_priority(best)} over {cel_priority(upsell)}"
    elif best.priority != upsell.priority:
        explanation = f"priority {best.priority} before {upsell.priority}"
    else:
        explanation = f"both have priority {upsell.priority}, and it comes first in the list"
    return SkipReason("less-favored", f"{best.title} is favored: {explanation}")


def undrawn_skip_reasons(upsell: PlannedUpsell, drawn: DrawnMessage | None, plan: SessionPlan) -> Iterator[SkipReason]:
    """Why a greeting or closing offer without a drawn message is skipped; `drawn` is that of another offer."""
    if upsell.config.disabled:
        yield DISABLED
        return
    if plan.active_config.listens_only:
        yield LISTENS_ONLY
    if drawn is None:
        yield SkipReason("frequency", "the message frequencies give this session no message")
        return
    which = f'"{drawn.message.displayName}" of ' if drawn.message.displayName else "one of "
    yield SkipReason("frequency", f"the message of this session is {which}{drawn.upsell.title}")


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
        yield SkipReason("skip-term", f'"{found[0]}" is in "{found[1]}"')
    yield from _unavailable(upsold_items(drawn.message, plan.menu), state, plan)
    text = messages.MessageTexts(drawn.message).text_for(state.language, plan.active_config.default_language)
    if isinstance(text, str):
        yield SkipReason("no-language", text)


def _unavailable(items: OfferedItems, state: SessionState, plan: SessionPlan) -> Iterator[SkipReason]:
    """Why an offer of which nothing is sold is passed over; an offer without items is made."""
    if plan.menu.offerings and items.names and not plan.sold_names(items, state):
        name, item = items.pairs[0]
        why = plan.why_unavailable(item, state) if item else None
        yield SkipReason("unavailable", f'"{name}" is not available: {why}')


def skipping_name(item: Item, term: str) -> str | None:
    """The first name of an item that contains a skip term, of all that it has."""
    return next((name for name in all_names(item) if has_skip_term(name, term)), None)


def has_skip_term(name: str, term: str) -> bool:
    """Whether a name of an item contains a skip term."""
    # as compared: lower case, single spaces, NFC
    term, name = (" ".join(normalize("NFC", text.casefold()).split()) for text in (term, name))
    return term in name
