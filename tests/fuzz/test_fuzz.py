"""A short run of the harness; the long one is `python tests/fuzz/harness.py --inputs 100000`."""

import random

import pytest

from tests.cases import number_of_cases, seeds
from tests.fuzz.harness import SCALARS, corpus, failures, mutated


@pytest.mark.timeout(method="thread")  # the harness has the alarm of signals for itself
@pytest.mark.parametrize("seed", seeds(4))
def test_no_damaged_file_is_too_much(seed: int) -> None:
    assert [(failure.number, failure.why) for failure in failures(number_of_cases(250, 3), seed)] == []


def test_the_harness_damages_files() -> None:
    choose = random.Random(0)
    _, data = corpus()[0]
    assert mutated(data, [data], choose) != data
    assert len(SCALARS) == len(set(SCALARS))
