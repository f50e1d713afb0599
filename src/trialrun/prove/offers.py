"""When an upsell is offered beside the others, as formulas: conditions, history, limits and what skips it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import z3

from trialrun.prove.encode import Encoding
from trialrun.prove.reads import Unsupported
from trialrun.prove.replay import MAX_TURNS
from trialrun.prove.verdict import Possible, Situation, Witness
from trialrun.runtime.channel_config.session.condition import InvalidCondition
from trialrun.runtime.channel_config.session.plan import PlannedCelUpsell, SessionPlan
from trialrun.runtime.channel_config.session.ranking import cel_priority

MAX_EARLIER = 3
"""The offers of earlier turns that sessions are built with."""

MAX_OTHERS, MAX_SHARED = 20, 500
"""The upsells that are looked at as favored over one, and those that share a solver where all are understood."""


@dataclass(frozen=True)
class Strategy:
    """A strategy as sessions of a store carry it out: `greets` says whether a greeting offer is made.

    True where every session has one, False where none has, None where it depends on the session.
    """

    plan: SessionPlan
    greets: bool | None = None

    @property
    def real(self) -> Sequence[PlannedCelUpsell]:
        """The enabled CEL upsells that are offers, the most favored first."""
        found = [upsell for upsell in self.enabled if upsell.is_real_offer]
        return sorted(found, key=lambda upsell: -cel_priority(upsell.config))

    @property
    def enabled(self) -> Sequence[PlannedCelUpsell]:
        """The enabled CEL upsells, in the order of the plan."""
        return [upsell for upsell in self.plan.cel_upsells if not upsell.config.disabled]

    def better(self, upsell: PlannedCelUpsell) -> Sequence[PlannedCelUpsell]:
        """The offers that are made instead of one where both may be made."""
        real = self.real
        return real[: real.index(upsell)] if upsell in real else ()

    def is_always_sold(self, upsell: PlannedCelUpsell) -> bool:
        """Whether some of what an upsell suggests is sold at all times, so that it is never passed over for that."""
        menu, store = self.plan.menu, self.plan.active_config.store.name
        pairs = upsell.items.pairs
        if not menu.offerings or not pairs:
            return True
        return any(item is None or menu.is_always_sold(item, store) for _, item in pairs)


def condition_text(upsell: PlannedCelUpsell) -> str:
    """The condition of an upsell as it is written; empty if it has none."""
    return upsell.cel.conditionExpression or ""


class TurnFormulas:
    """One turn of a session: what is offered in it, for every history that a session can have.

    `strategies` are one, or both sides of a change, which then share the history; upsells are the same by `key`.
    """

    def __init__(self, situation: Situation, strategies: Sequence[Strategy], *, only: Sequence[PlannedCelUpsell] = ()):
        """Of `only` some upsells, the conditions are read, those of the others are free. Raises Unsupported."""
        self.strategies = strategies
        read = [
            upsell
            for strategy in strategies
            for upsell in strategy.enabled
            if upsell.state_builder.schema == situation.schema
            and not isinstance(upsell.program, InvalidCondition)
            and (not only or upsell in only)
        ]
        named = [upsell.condition_items for upsell in read if upsell.config.skipOnMultiQuantityUpsoldFromItem]
        self._read, self._named = set(map(condition_text, read)), named
        self.encoding = Encoding(situation, list(map(condition_text, read)), named_items=named)
        self.previous, self.greeted = z3.Bool("offer in the turn before"), z3.Bool("offer at the greeting")
        self._may: dict[int, z3.BoolRef] = {}
        self._states: dict[tuple[str, ...], Witness | None] = {}
        self._keys = {id(upsell): name for strategy in strategies for upsell, name in _keys(strategy.enabled)}
        real = (upsell for strategy in strategies for upsell in strategy.real)
        self.encoding.history = [
            self.greeted,
            *(z3.Bool(f"offer before {key}") for key in dict.fromkeys(map(self.key, real))),
        ]

    def reads(self, upsell: PlannedCelUpsell) -> bool:
        """Whether the condition of an upsell is read, and not free."""
        return condition_text(upsell) in self._read

    def true(self, upsell: PlannedCelUpsell) -> z3.BoolRef:
        """The condition is true; free where it is not read."""
        if isinstance(upsell.program, InvalidCondition):
            return z3.BoolVal(False)
        text = condition_text(upsell)
        return self.encoding.truth(text).true if text in self._read else z3.Bool(f"offer true {text}")

    def key(self, upsell: PlannedCelUpsell) -> str:
        """What an upsell is the same by on both sides of a change: its name, its items and its modifiers."""
        return self._keys[id(upsell)]

    def before(self, upsell: PlannedCelUpsell) -> z3.BoolRef:
        """It was offered in an earlier turn."""
        return z3.Bool(f"offer before {self.key(upsell)}")

    def skips(self, upsell: PlannedCelUpsell, strategy: Strategy) -> Iterator[tuple[str, z3.BoolRef]]:
        """What passes an upsell over whose condition is true, by field or word; limits are another thing."""
        yield "offered before", self.before(upsell)
        if upsell.config.skipOnPreviousTurnUpsell:
            yield "skipOnPreviousTurnUpsell", self.previous
        if upsell.config.skipOnMultiQuantityUpsoldFromItem:
            items = upsell.condition_items
            several = (
                self.encoding.several(items) if items in self._named else z3.Bool(f"offer several {self.key(upsell)}")
            )
            yield "skipOnMultiQuantityUpsoldFromItem", several
        if not strategy.is_always_sold(upsell):
            yield "availability", _unsold(upsell)

    @cached_property
    def all_sold(self) -> z3.BoolRef:
        """Everything that upsells suggest is sold at the moment."""
        return z3.And([z3.Not(_unsold(upsell)) for strategy in self.strategies for upsell in strategy.enabled])

    def may_be_offered(self, upsell: PlannedCelUpsell, strategy: Strategy) -> z3.BoolRef:
        """Its condition is true and nothing but a limit or a better upsell keeps it back."""
        if id(upsell) not in self._may:
            self._may[id(upsell)] = z3.And(
                self.true(upsell), *(z3.Not(skip) for _, skip in self.skips(upsell, strategy))
            )
        return self._may[id(upsell)]

    def limits(self, strategy: Strategy) -> Iterator[tuple[str, z3.BoolRef]]:
        """The limits, by field: that each is not reached."""
        fields, encoding = strategy.plan.strategy, self.encoding
        if fields.maxUpsellOffers is not None:
            yield "maxUpsellOffers", encoding.offers < fields.maxUpsellOffers
        if fields.maxUpsellDeclines is not None:
            yield "maxUpsellDeclines", encoding.declines < fields.maxUpsellDeclines
        if fields.maxItemsInCart is not None:
            yield "maxItemsInCart", z3.Not(_was_over(fields.maxItemsInCart))

    def is_offered(self, upsell: PlannedCelUpsell, strategy: Strategy) -> z3.BoolRef:
        """It is what the turn offers or suggests."""
        parts = [self.may_be_offered(upsell, strategy)]
        if upsell.is_real_offer:
            parts += [limit for _, limit in self.limits(strategy)]
            parts += [z3.Not(self.may_be_offered(other, strategy)) for other in strategy.better(upsell)]
        return z3.And(parts)

    @cached_property
    def history(self) -> z3.BoolRef:
        """What is true of every history: each offer before was made in a turn of its own."""
        encoding, parts = self.encoding, list[z3.BoolRef]()
        real = {self.key(upsell): upsell for strategy in self.strategies for upsell in strategy.real}
        earlier = [z3.If(self.before(upsell), 1, 0) for upsell in real.values()]
        made = z3.Sum(earlier) if earlier else z3.IntVal(0)
        greeting = z3.If(self.greeted, 1, 0)
        parts += [encoding.offers == made + greeting, made <= encoding.turn - 1]
        parts += [z3.Implies(self.previous, encoding.offers >= 1)]
        parts += [z3.Implies(encoding.turn == 1, self.previous == self.greeted)]
        if all(strategy.greets is False for strategy in self.strategies):
            parts.append(z3.Not(self.greeted))
        limits = [strategy.plan.strategy.maxItemsInCart for strategy in self.strategies]
        carts = sorted({limit for limit in limits if limit is not None}, reverse=True)
        parts += [z3.Implies(encoding.cart > limit, _was_over(limit)) for limit in carts]
        if len(carts) == 2:
            parts.append(z3.Implies(*map(_was_over, carts)))
        return z3.And(parts)

    def earlier(self) -> list[Witness]:
        """States of the turns before that of the last witness, in which the offers are made that it takes for made.

        Where it takes none for made, nothing is offered in them.
        """
        model, encoding = self.encoding.model, self.encoding
        if model is None:
            return []
        real = [(one, strategy) for strategy in self.strategies for one in strategy.real]
        made = list(dict.fromkeys(self.key(one) for one, _ in real if z3.is_true(model.eval(self.before(one)))))
        waits = 0 if made else min(model.eval(encoding.turn, True).as_long(), MAX_TURNS) - 1
        greeted, same = z3.is_true(model.eval(self.greeted)), encoding.same_session(model)
        witnesses: list[Witness] = []
        for number, key in enumerate(made[:MAX_EARLIER] if made else [""][:waits]):
            states = [self.is_offered(*each) for each in real if self.key(each[0]) == key]
            states = states or [encoding.turn == 1, *(z3.Not(self.may_be_offered(*each)) for each in real)]
            later = [z3.Not(self.before(one)) for one, _ in real if self.key(one) not in made[:number]]
            known = str((greeted, same)), *made[: number + 1]
            if known not in self._states:
                goal = z3.And(self.history, self.greeted == greeted, *same, *states, *later)
                verdict = encoding.decide(goal, lambda witness: True)
                self._states[known] = verdict.witness if isinstance(verdict, Possible) else None
            if (witness := self._states[known]) is not None:
                witnesses.append(witness)
        return witnesses if made else witnesses * waits

    def is_small_before(self) -> z3.BoolRef:
        """The order was never larger than now, as far as limits ask for it."""
        limits = {strategy.plan.strategy.maxItemsInCart for strategy in self.strategies} - {None}
        return z3.And([_was_over(limit) == (self.encoding.cart > limit) for limit in limits if limit is not None])

    def facts(self, upsell: PlannedCelUpsell, strategy: Strategy) -> dict[str, z3.BoolRef]:
        """The premises under which an upsell is offered, by name, for a proof to name those that it needs.

        Favored ones that are not read are left out: then more is taken for possible, and a proof still holds.
        """
        found = {"condition": self.true(upsell)}
        found |= {name: z3.Not(skip) for name, skip in self.skips(upsell, strategy) if name != "offered before"}
        if upsell.is_real_offer:
            found |= dict(self.limits(strategy))
            if strategy.greets:
                found["greeting"] = self.greeted
            for other in filter(self.reads, strategy.better(upsell)):
                found[f"upsell {other.position}"] = z3.Not(self.may_be_offered(other, strategy))
        return found


def shared_formulas(situation: Situation, strategy: Strategy) -> TurnFormulas | None:
    """One turn with all conditions that are understood; None where they are not, or are too many for one solver."""
    read = [upsell for upsell in strategy.enabled if upsell.state_builder.schema == situation.schema]
    for _ in range(2):
        if not 0 < len(read) <= MAX_SHARED:
            return None
        try:
            formulas = TurnFormulas(situation, [strategy], only=read)
        except Unsupported:
            return None
        if not (vague := formulas.encoding.not_understood):
            return formulas
        read = [upsell for upsell in read if condition_text(upsell) not in vague]
    return None


def _unsold(upsell: PlannedCelUpsell) -> z3.BoolRef:
    """Nothing that an upsell suggests is sold at the moment."""
    return z3.Bool(f"offer unsold {upsell.items.pairs}")


def _was_over(limit: int) -> z3.BoolRef:
    """The order has had more items than a limit, in this turn or before it."""
    return z3.Bool(f"offer over {limit} items")


def _keys(upsells: Sequence[PlannedCelUpsell]) -> Iterator[tuple[PlannedCelUpsell, str]]:
    """Upsells with what each is the same by on another side; of several alike, their order counts too."""
    counts: Counter[str] = Counter()
    for upsell in upsells:
        name = repr((upsell.config.title, upsell.is_real_offer, upsell.items.names, upsell.modifiers))
        yield upsell, f"{name} {counts[name]}"
        counts[name] += 1
