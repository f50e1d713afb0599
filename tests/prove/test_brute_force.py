"""Verdicts about random conditions, beside what the engine says of every state of a small domain."""

from functools import partial
from random import Random

import pytest

from tests.cases import number_of_cases, seeds
from tests.prove.brute_force import SITUATION, conditions, values_found
from trialrun.prove.encode import Encoding
from trialrun.prove.verdict import Never, Possible, Witness

PER_SEED = number_of_cases(20, 4)
DECIDED = 0.8
"""The least share of questions about so few adversarial conditions that are decided; of many it is 0.95."""


def _shows(encoding: Encoding, text: str, value: bool | None, witness: Witness) -> bool:
    return encoding.value(text, witness) is value


@pytest.mark.parametrize("seed", seeds(100, first=1))
def test_never_is_never_and_possible_is_shown(seed: int) -> None:
    decided, wrong = 0, []
    for text in conditions(seed, PER_SEED):
        found = values_found(text, Random(seed), most=300)
        encoding = Encoding(SITUATION, [text])
        truth = encoding.truth(text)
        for value, goal in ((True, truth.true), (False, truth.false), (None, truth.error)):
            verdict = encoding.decide(goal, partial(_shows, encoding, text, value))
            decided += isinstance(verdict, Never | Possible)
            if isinstance(verdict, Never) and value in found:
                wrong.append((text, value, found[value]))
    assert wrong == []
    assert decided >= DECIDED * 3 * PER_SEED
