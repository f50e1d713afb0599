"""Conditions as formulas of one solver over the order and the session that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import z3

from trialrun.prove.truth import Truth
from trialrun.prove.verdict import Situation, Verdict, Witness
from trialrun.runtime.channel_config.session.condition import ConditionItems


class Encoding:
    """Several conditions over the same order and the same session."""

    def __init__(
        self, situation: Situation, conditions: Sequence[str], *, named_items: Sequence[ConditionItems] = ()
    ) -> None:
        """All conditions are known from the beginning; `named_items` are told apart too, for `several`."""
        self.situation = situation
        self.turn, self.offers, self.declines = z3.Int("turn"), z3.Int("offers"), z3.Int("declines")
        self.cart: z3.ArithRef = z3.IntVal(0)
        """The number of items in the order: the sum of the quantities of its lines."""
        raise NotImplementedError

    def truth(self, condition: str) -> Truth:
        """When one of the conditions is true and when it is false."""
        raise NotImplementedError

    def several(self, items: ConditionItems) -> z3.BoolRef:
        """Some item that a condition names is in the order more than once (`skipOnMultiQuantityUpsoldFromItem`)."""
        raise NotImplementedError

    def decide(
        self,
        goal: z3.BoolRef,
        confirm: Callable[[Witness], bool],
        *,
        facts: Mapping[str, z3.BoolRef] | None = None,
    ) -> Verdict:
        """Whether the goal can hold together with named facts; a witness counts when `confirm` says so."""
        raise NotImplementedError

    def value(self, condition: str, witness: Witness) -> bool | None:
        """What the product's engine says of a condition for a witness; None if its evaluation fails."""
        raise NotImplementedError
