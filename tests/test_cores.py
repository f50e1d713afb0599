"""How many cores there are for work that is divided."""

import os

import pytest

from trialrun.cores import available_cores, free_cores


def test_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 2, 5}, raising=False)
    assert available_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert available_cores() == 16


@pytest.mark.parametrize(
    ("looks", "free"),
    [
        pytest.param([1, 1, 1, 1], 4, id="we alone"),
        pytest.param([3, 3, 4, 3], 2, id="two others all the time"),
        pytest.param([9, 1, 9, 9], 4, id="many others, but not at every look"),
        pytest.param([9, 9, 9, 9], 1, id="more others than cores"),
        pytest.param([0, 0, 0, 0], 4, id="a count without us"),
        pytest.param([None], 4, id="a system that does not say"),
    ],
)
def test_cores_that_others_use_all_the_time_are_not_free(
    monkeypatch: pytest.MonkeyPatch, looks: list[int | None], free: int
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3}, raising=False)
    assert free_cores(iter(looks).__next__) == free


def test_of_few_available_cores_no_more_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1}, raising=False)
    assert free_cores(lambda: 20) == 2


def test_a_number_of_free_cores_is_found_on_every_machine() -> None:
    assert 1 <= free_cores() <= available_cores()
