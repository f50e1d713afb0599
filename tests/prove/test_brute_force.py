"""Verdicts about random conditions, beside what the engine says of every state of a small domain."""

from __future__ import annotations

from random import Random

import pytest

from tests.cases import seeds
from tests.prove.brute_force import SITUATION, conditions, values_found
from trialrun.prove.encode import Encoding
from trialrun.prove.verdict import Never, Possible

PER_SEED = 40
DECIDED = 0.9
"""The least share of questions about these adversarial conditions that are decided."""


@pytest.mark.parametrize("seed", seeds(50, first=4))
def test_never_is_never_and_possible_is_shown(seed: int) -> None:
    decided, wrong = 0, []
    for text in conditions(seed, PER_SEED):
        found = values_found(text, Random(seed), most=1500)
        encoding = Encoding(SITUATION, [text])
        truth = encoding.truth(text)
        for value, goal in ((True, truth.true), (False, truth.false), (None, truth.error)):
            verdict = encoding.decide(
                goal, lambda witness, value=value, text=text: encoding.value(text, witness) is value
            )
            decided += isinstance(verdict, Never | Possible)
            if isinstance(verdict, Never) and value in found:
                wrong.append((text, value, found[value]))
    assert wrong == []
    assert decided >= DECIDED * 3 * PER_SEED
