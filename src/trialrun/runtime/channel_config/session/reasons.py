"""Why upsells are passed over, the reason that decides first; `docs/session.md` has a row for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from unicodedata import normalize

from trialrun.runtime.channel_config.dialogue.messages import said, why_unsaid
from trialrun.runtime.channel_config.session.ranking import favor
from trialrun.runtime.channel_config.session.turn import Reason

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.dialogue.messages import Drawn
    from trialrun.runtime.channel_config.session.order import Line
    from trialrun.runtime.channel_config.session.plan import Plan, Rule, Upsell
    from trialrun.runtime.channel_config.session.session_state import Full, Progress
    from trialrun.runtime.channel_config.session.turn import Condition

DISABLED = Reason("disabled", "it is disabled")
LISTENS_ONLY = Reason("listen-only", "the agent only listens: interactionMode is LISTEN_ONLY")
FALSE = Reason("condition-false", "its condition is false")


def of_rule(
    rule: Rule, condition: Condition | None, now: Progress, plan: Plan, met: Sequence[Reason]
) -> Iterator[Reason]:
    """Why a CEL upsell is passed over; nothing where it may be made.

    `condition` is None for one that is disabled, `met` are the limits that are reached.
    """
    if condition is None:
        yield DISABLED
        return
    if plan.listens_only:
        yield LISTENS_ONLY
    if turn := now.offered.get(rule.place):
        yield Reason("offered-before", f"it was {'offered' if rule.is_real else 'shown'} in turn {turn}")
    if condition.error is not None:
        yield Reason("condition-error", f"its condition fails: {condition.error}")
    elif not condition.value:
        yield FALSE
    if rule.is_real:
        yield from met
    yield from _previous(rule, now)
    if rule.config.skipOnMultiQuantityUpsoldFromItem:
        yield from _multi_quantity(rule, now)


def _multi_quantity(rule: Rule, now: Progress) -> Iterator[Reason]:
    line = rule.named.several(now.lines)
    if line is not None:
        name, count = line.ordered.item.name, line.ordered.quantity
        yield Reason("multi-quantity", f'"{name}", which the condition names, has quantity {count}')


def limits(now: Progress, plan: Plan) -> tuple[Reason, ...]:
    """The limits of the strategy that are reached."""
    return tuple(_limits(now, plan))


def _limits(now: Progress, plan: Plan) -> Iterator[Reason]:
    strategy = plan.strategy
    offers, declines = strategy.maxUpsellOffers, strategy.maxUpsellDeclines
    if offers is not None and now.offers >= offers:
        text = f"{_of(now.offers, offers, 'offer')} made" if offers else "maxUpsellOffers is 0"
        yield Reason("max-offers", text)
    if declines is not None and now.declines >= declines:
        text = f"{_of(now.declines, declines, 'decline')} counted" if declines else "maxUpsellDeclines is 0"
        yield Reason("max-declines", text)
    if now.full:
        yield Reason("max-items", f"{_full(now.full, now.number)}, more than maxItemsInCart {strategy.maxItemsInCart}")


def _full(full: Full, number: int) -> str:
    items = f"{full.items} item{'s' if full.items != 1 else ''}"
    return f"the order has {items}" if full.turn == number else f"the order had {items} in turn {full.turn}"


def _of(count: int, most: int, what: str) -> str:
    return f"{count} of {most} {what}{' is' if most == 1 else 's are'}"


def _previous(upsell: Upsell, now: Progress) -> Iterator[Reason]:
    if upsell.config.skipOnPreviousTurnUpsell and now.previous is not None:
        yield Reason("previous-turn", f"the turn before offered {now.previous.title}")


def less_favored(upsell: UpsellConfig, best: UpsellConfig) -> Reason:
    """Why of two CEL upsells that trigger, or of two offers of one moment, the other is made."""
    if favor(best) != favor(upsell):
        why = f"celUpsell.priority {favor(best)} over {favor(upsell)}"
    elif best.priority != upsell.priority:
        why = f"priority {best.priority} before {upsell.priority}"
    else:
        why = f"both have priority {upsell.priority}, and it stands first in the list"
    return Reason("less-favored", f"{best.title} is favored: {why}")


def of_undrawn(upsell: Upsell, drawn: Drawn | None, plan: Plan) -> Iterator[Reason]:
    """Why a greeting or closing offer is passed over none of whose messages was drawn; `drawn` is that of another."""
    if upsell.config.disabled:
        yield DISABLED
        return
    if plan.listens_only:
        yield LISTENS_ONLY
    if drawn is None:
        yield Reason("frequency", "the frequencies leave this session without a message")
        return
    message = f'"{drawn.message.displayName}" of ' if drawn.message.displayName else "one of "
    yield Reason("frequency", f"the message of this session is {message}{drawn.upsell.title}")


def of_drawn(upsell: Upsell, drawn: Drawn, now: Progress, plan: Plan) -> Iterator[Reason]:
    """Why a greeting or closing offer is passed over whose message was drawn; nothing where it may be made."""
    if plan.listens_only:
        yield LISTENS_ONLY
    yield from limits(now, plan)
    if upsell.config.closingOffer:
        yield from _previous(upsell, now)
    yield from _skip_term(drawn.skip_terms, now.lines)
    if said(drawn.message, now.language, plan.default_language, plan.in_force.origin_of) is None:
        yield Reason("no-language", why_unsaid(drawn.message, now.language, plan.default_language))


def _skip_term(terms: Sequence[str], lines: Sequence[Line]) -> Iterator[Reason]:
    for term in terms:
        for line in lines:
            if has_skip_term(line.ordered.item.name, term):
                yield Reason("skip-term", f'"{term}" is in "{line.ordered.item.name}"')
                return


def has_skip_term(name: str, term: str) -> bool:
    """Whether a skip term is in the name of an item."""
    return _plain(term) in _plain(name)


def _plain(text: str) -> str:
    """A text as skip terms compare it: without case, with one blank between words, and composed."""
    return " ".join(normalize("NFC", text.casefold()).split())
