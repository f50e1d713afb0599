"""Whether sessions differ between two configurations of a store: the offers of one turn, for every history.

Where no turn offers anything else after equal histories, no session differs: its history is equal up to every turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Literal

import z3

from trialrun.prove.offers import MAX_OTHERS, Strategy, TurnFormulas
from trialrun.prove.reads import Unsupported
from trialrun.prove.replay import TURNS, Stage
from trialrun.prove.store import StoreProof
from trialrun.prove.truth import any_of
from trialrun.prove.verdict import Never, Possible, Unknown, Verdict, Witness
from trialrun.runtime.channel_config.menu import Item
from trialrun.runtime.channel_config.session.plan import PlannedCelUpsell, SessionPlan
from trialrun.runtime.channel_config.session.turn import upsell_name

Direction = Literal["more", "less", "both"]
Wanted = tuple[str, Direction]
"""An upsell, and whether it is offered more or less; for an empty name anything that differs."""
ANY: Wanted = ("", "both")
Confirm = Callable[[Witness, Callable[[], Sequence[Witness]], Wanted], Set[Wanted]]
"""How both sides differ when they are played from a witness, or after states in which offers before are made.

Sessions are played until one shows what is wanted.
"""
MAX_WITNESSES = 3
"""The states that are played for an upsell."""
OffersDifference = tuple[Verdict, tuple[tuple[str, Direction], ...]]
"""The verdict whether offers differ, and the upsells that are offered more or less where sessions first differ."""


def compare_offers(
    before: Stage, after: Stage, unpriced: frozenset[Item], confirm: Confirm, shown: set[Wanted]
) -> OffersDifference:
    """Whether some session of one of two configurations offers what the other one does not.

    Both have one menu and one schema. `confirm` plays both sides from a witness; what differs in it is added to what
    sessions have `shown`, and is not asked again.
    """
    proofs = StoreProof(before), StoreProof(after, unpriced)
    schemas = {upsell.state_builder.schema for proof in proofs for upsell in proof.plan.cel_upsells}
    if len(schemas) > 1:
        return Unknown("the conditions have different session types"), ()
    if all(proof.config.listens_only for proof in proofs):
        return Never(), ()
    if any(len(proof.strategy.real) > MAX_OTHERS for proof in proofs):
        return Unknown(f"there are more than {MAX_OTHERS} upsells"), ()
    schema = schemas.pop() if schemas else after.types(after.active_config.store.brand.path)
    try:
        formulas = TurnFormulas(proofs[1].situation(schema), [proof.strategy for proof in proofs])
    except Unsupported as error:
        return Unknown(str(error)), ()
    verdict, upsells = _compare(formulas, confirm, shown)
    reason = _not_compared(*(proof.plan for proof in proofs))
    return (Unknown(reason, premises=verdict.premises) if reason and isinstance(verdict, Never) else verdict), upsells


def _not_compared(before: SessionPlan, after: SessionPlan) -> str | None:
    """What of two strategies is compared by no formula and differs: the messages, and the order of suggestions."""
    plans = before, after
    for kind, title in (("greetingOffer", "greeting"), ("closingOffer", "closing")):
        if _messages(before, kind) != _messages(after, kind):
            return f"the {title} offers differ"
    none = [0 in (plan.strategy.maxUpsellOffers, plan.strategy.maxUpsellDeclines) for plan in plans]
    if none[0] != none[1] and _messages(after, "greetingOffer"):
        return "the limits of greeting offers differ"
    if before.active_config.listens_only != after.active_config.listens_only:
        return "the interactionMode differs"
    enabled = [Strategy(plan).enabled for plan in plans]
    suggested = [[upsell_name(one.config) for one in side if not one.is_real_offer] for side in enabled]
    common = [[name for name in side if name in suggested[0] and name in suggested[1]] for side in suggested]
    return "the order of suggestions differs" if common[0] != common[1] else None


def _messages(plan: SessionPlan, kind: str) -> list[object]:
    """The enabled offers of a type as they are attempted, with all that decides which message is said."""
    found = [upsell.config for upsell in plan.upsells if getattr(upsell.config, kind) and not upsell.config.disabled]
    return [upsell.model_dump(exclude_unset=True, exclude={"priority"}) for upsell in found]


def _compare(formulas: TurnFormulas, confirm: Confirm, shown: set[Wanted]) -> OffersDifference:
    sides = [{formulas.key(upsell): upsell for upsell in strategy.enabled} for strategy in formulas.strategies]
    history, encoding = _shared_history(formulas, sides), formulas.encoding
    goals = {wanted: z3.And(history, goal) for wanted, goal in _goals(formulas, sides).items()}
    left = [wanted for wanted in encoding.consistent(goals) if wanted not in shown]
    if not shown:
        verdict = encoding.decide(any_of([goals[wanted] for wanted in left]), lambda witness: False, witnesses=0)
        if isinstance(verdict, Never):
            return verdict, ()
    undecided: Verdict = Never(encoding.premises)
    near = z3.And(encoding.turn <= TURNS, formulas.is_small_before())  # in a short session, not too large before
    for wanted in left:

        def confirms(witness: Witness, wanted: Wanted = wanted) -> bool:
            shown.update(confirm(witness, formulas.earlier, wanted))
            return wanted in shown

        if wanted not in shown:  # the sessions of another upsell may show it
            verdict = encoding.decide(goals[wanted], confirms, nearer=[near], witnesses=MAX_WITNESSES)
            undecided = verdict if isinstance(verdict, Unknown) and isinstance(undecided, Never) else undecided
    found: dict[str, Direction] = {}
    for title, direction in (wanted for wanted in goals if wanted in shown):
        found[title] = "both" if title in found else direction
    upsells = tuple((title, direction) for title, direction in found.items() if title)
    return Possible(Witness(), encoding.premises) if shown else undecided, upsells


def _goals(formulas: TurnFormulas, sides: Sequence[Mapping[str, PlannedCelUpsell]]) -> dict[Wanted, z3.BoolRef]:
    """When a turn offers an upsell on one side alone; where both sides offer it by equal formulas, none does."""
    never, goals = z3.BoolVal(False), dict[Wanted, z3.BoolRef]()
    offered = [
        {name: formulas.is_offered(upsell, strategy) for name, upsell in side.items()}
        for side, strategy in zip(sides, formulas.strategies, strict=True)
    ]
    for name in {**sides[0], **sides[1]}:
        earlier, later = offered[0].get(name, never), offered[1].get(name, never)
        if earlier.eq(later):
            continue
        title = upsell_name((sides[1].get(name) or sides[0][name]).config)
        goals[title, "more"] = any_of([z3.And(later, z3.Not(earlier)), goals.get((title, "more"), never)])
        goals[title, "less"] = any_of([z3.And(earlier, z3.Not(later)), goals.get((title, "less"), never)])
    if any(_messages(strategy.plan, "closingOffer") for strategy in formulas.strategies):
        limits = [z3.And([limit for _, limit in formulas.limits(strategy)]) for strategy in formulas.strategies]
        goals[ANY] = z3.Xor(*limits)
    return goals


def _shared_history(formulas: TurnFormulas, sides: Sequence[Mapping[str, PlannedCelUpsell]]) -> z3.BoolRef:
    """A history that both sides have: what one side alone has was not offered yet, or they would differ before."""
    parts = [formulas.history]
    for one, other in (sides, sides[::-1]):
        parts += [z3.Not(formulas.before(upsell)) for name, upsell in one.items() if name not in other]
    if all(strategy.greets for strategy in formulas.strategies):
        parts.append(formulas.greeted)
    return z3.And(parts)
