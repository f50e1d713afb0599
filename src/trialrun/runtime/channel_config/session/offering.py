"""What is offered at a turn, and why each of the other upsells is passed over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.messages import Drawn, OfferType, said, upsold
from trialrun.runtime.channel_config.session.condition import State, evaluated
from trialrun.runtime.channel_config.session.plan import KINDS, Plan, Rule, Upsell
from trialrun.runtime.channel_config.session.ranking import most_favored
from trialrun.runtime.channel_config.session.reasons import (
    less_favored,
    limits,
    of_drawn,
    of_rule,
    of_undrawn,
)
from trialrun.runtime.channel_config.session.session_state import Progress
from trialrun.runtime.channel_config.session.turn import Condition, Offered, OfferKind, PassedOver, Reason, Said

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.session.cel_state import Known, Shape


@dataclass(frozen=True, slots=True)
class Offers:
    """What a turn offers, what it passes over, the conditions that were asked, and the session after it."""

    progress: Progress
    offered: tuple[Offered, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    conditions: tuple[Condition, ...] = ()
    said: tuple[Said, ...] = ()


def by_rules(now: Progress, plan: Plan, known: Known) -> Offers:
    """The upsells of a turn: of the CEL upsells that trigger and are not skipped, the one that is most favored.

    Those that only suggest are shown beside it.
    """
    conditions = dict(_conditions(now, plan, known))
    met = limits(now, plan)
    reasons = {rule: tuple(of_rule(rule, conditions.get(rule), now, plan, met)) for rule in plan.rules}
    real = [rule for rule in plan.rules if rule.is_real and not reasons[rule]]
    best = most_favored([rule.config for rule in real])
    if best is not None:
        reasons |= {rule: (less_favored(rule.config, best),) for rule in real if rule.config is not best}
    made = [rule for rule in plan.rules if not reasons[rule]]
    offered = tuple(_by_rule(rule, len(real) - 1) for rule in made)
    told = tuple(_instruction(rule, plan) for rule in made if (rule.cel.triggerReason or "").strip())
    passed = tuple(_passed(rule, reasons[rule]) for rule in plan.rules if reasons[rule])
    return Offers(_made(now, made, offered), offered, passed, tuple(conditions.values()), told)


def _conditions(now: Progress, plan: Plan, known: Known) -> Iterator[tuple[Rule, Condition]]:
    """The conditions of all enabled CEL upsells, asked of one state."""
    states: dict[Shape, State] = {}
    for rule in plan.rules:
        if rule.config.disabled:
            continue
        if rule.shape not in states:
            states[rule.shape] = State(rule.shape.activation(known, now.sent))
        yield rule, evaluated(rule.program, states[rule.shape], upsell=rule.config, origin=rule.condition_origin)


def _by_rule(rule: Rule, others: int) -> Offered:
    reason = "its condition is true"
    if rule.is_real and others > 0:
        reason += f", and it is favored over {others} other{'s' if others > 1 else ''}"
    kind: OfferKind = "upsell" if rule.is_real else "suggestion"
    items = tuple(dict.fromkeys(rule.cel.suggestedMenuItems or ()))
    return Offered(rule.config, kind, items, rule.modifiers, None, None, reason, rule.origin)


def _instruction(rule: Rule, plan: Plan) -> Said:
    origin = plan.in_force.origin_of(rule.cel, "triggerReason")
    return Said(rule.cel.triggerReason or "", "instruction", None, origin)


def _passed(upsell: Upsell, reasons: Sequence[Reason]) -> PassedOver:
    return PassedOver(upsell.config, reasons[0], upsell.origin, tuple(reasons[1:]))


def _made(now: Progress, made: Sequence[Upsell], offered: Sequence[Offered]) -> Progress:
    """The session after offers: a real one takes the place of the one that waits, suggestions that of suggestions."""
    real = next((one for one in offered if one.kind != "suggestion"), None)
    shown = tuple(one for one in offered if one.kind == "suggestion")
    if not offered:
        return now if now.previous is None else replace(now, previous=None)
    return replace(
        now,
        offered={**now.offered, **dict.fromkeys((one.place for one in made), now.number)},
        offers=now.offers + (real is not None),
        open=real or now.open,
        shown=shown or now.shown,
        previous=real.upsell if real else None,
    )


def by_message(kind: OfferType, now: Progress, plan: Plan, seed: int) -> Offers:
    """The greeting offer or the closing offer of a session: the first, in the order of priorities, that can be made."""
    drawn = plan.drawn(kind, seed)
    made: Upsell | None = None
    passed: list[PassedOver] = []
    for upsell in plan.of_type(kind):
        reasons = tuple(_against(upsell, made, drawn, now, plan))
        if reasons:
            passed.append(_passed(upsell, reasons))
        else:
            made = upsell
    message = drawn[id(made.config)] if made else None
    if made is None or message is None:
        return Offers(_made(now, (), ()), passed_over=tuple(passed))
    offered = _by_message(kind, made, message, now, plan)
    said = (offered.said,) if offered.said else ()
    return Offers(_made(now, [made], [offered]), (offered,), tuple(passed), (), said)


def _against(
    upsell: Upsell, made: Upsell | None, drawn: Mapping[int, Drawn | None], now: Progress, plan: Plan
) -> Iterator[Reason]:
    """Why a greeting or closing offer is passed over; nothing where it is made."""
    message, is_by_type = drawn[id(upsell.config)], plan.in_force.message_draw == "type"
    if upsell.config.disabled or (message is None and (is_by_type or not made)):
        other = next(filter(None, drawn.values()), None) if is_by_type else None
        yield from of_undrawn(upsell, other, plan)
    elif made:
        yield less_favored(upsell.config, made.config)
    elif message:
        yield from of_drawn(upsell, message, now, plan)


def _by_message(kind: OfferType, upsell: Upsell, drawn: Drawn, now: Progress, plan: Plan) -> Offered:
    message = drawn.message
    words = said(message, now.language, plan.default_language, plan.in_force.origin_of, kind=KINDS[kind])
    reason = "its message is the only one" if drawn.share == 1 else f"its message is drawn, as for {_share(drawn)}"
    items = upsold(message, plan.menu)
    return Offered(upsell.config, KINDS[kind], items, (), message.displayName, words, reason, upsell.origin)


def _share(drawn: Drawn) -> str:
    return f"{float(drawn.share * 100):.4g} % of the sessions"
