"""Cases of tests: how many of those that are generated are tried, and one test for many small ones.

A sixteenth of the generated ones is tried, and all with `pytest -m exhaustive`.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import Signature
from typing import Any

import pytest

SHARE = 16
ALL_CASES = "TRIALRUN_TEST_ALL_CASES"
"""The variable that is set while all cases are tried; tests ask for their number when they are imported."""
PARAMETERS: Any = type(pytest.param())
MAX_NAME_LENGTH = 200
"""Of a long case the beginning and its number are the name."""


def asks_for_all_cases(markers: str) -> bool:
    """Whether an expression of `-m` selects exhaustive tests, alone or with others; none at all selects them too."""
    if "not exhaustive" in markers:
        return False
    return "exhaustive" in markers or "cluster" not in markers


def tries_all_cases() -> bool:
    """Whether this run of the tests tries all cases."""
    return ALL_CASES in os.environ


def number_of_cases(number: int, share: int = SHARE) -> int:
    """How many of a number of generated cases are tried: one of `share`, which is larger where a case takes long."""
    return number if tries_all_cases() else -(-number // share)


def some_of(cases: Iterable[Any], share: int = SHARE) -> list[Any]:
    """The cases for `parametrize`: one of `share` is tried always, the others with `-m exhaustive`."""
    return _wanted(
        case if place % share == 0 else pytest.param(*_values(case), marks=pytest.mark.exhaustive)
        for place, case in enumerate(cases)
    )


def seeds(number: int, first: int | None = None) -> list[Any]:
    """Seeds of generated cases for `parametrize`: the first are tried always, the rest with `-m exhaustive`.

    The first are a sixteenth of them, or fewer where a case takes long.
    """
    first = -(-number // SHARE) if first is None else first
    more = (pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(first, number))
    return _wanted([*range(first), *more])


def share_of(cases: Sequence[Any], share: int = SHARE, turn: int = 0) -> Sequence[Any]:
    """The cases for a test with the marker `generated`: one of `share`, or all with `-m exhaustive`.

    Tests of several things take another share of the cases for each of them, by its number as the `turn`.
    """
    return cases if tries_all_cases() else cases[turn % share :: share]


def pairs_of(rows: Sequence[Any], columns: Sequence[Any], first: int | None = None) -> list[Any]:
    """All pairs for `parametrize`: each row is tried with one column always, with the others by `-m exhaustive`.

    Only the first rows are tried always where `first` says how many.
    """
    always = len(rows) if first is None else first
    return _wanted(
        (row, column)
        if place % len(columns) == at and place < always
        else pytest.param(row, column, marks=pytest.mark.exhaustive)
        for place, row in enumerate(rows)
        for at, column in enumerate(columns)
    )


def first_of(cases: Iterable[Any], number: int = 1) -> list[Any]:
    """The cases for `parametrize`: the first are tried always, the others with `-m exhaustive`."""
    return _wanted(
        case if place < number else pytest.param(*_values(case), marks=pytest.mark.exhaustive)
        for place, case in enumerate(cases)
    )


def _wanted(cases: Iterable[Any]) -> list[Any]:
    """The cases that this run of the tests tries: collecting thousands that it leaves out takes long, too."""
    return [case for case in cases if tries_all_cases() or not _is_exhaustive(case)]


def _is_exhaustive(case: Any) -> bool:
    return any(mark.name == "exhaustive" for mark in getattr(case, "marks", ()))


def each_of(cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make a check of one case a test of all of them, which names those that fail: for many small cases.

    A test of its own takes longer than such a case. A tuple has one value for each parameter of the check. Cases of a
    mapping have the names of their keys, those of `pytest.param` have their ids. The traceback is of the first failure.
    """
    named = [*cases.items()] if isinstance(cases, Mapping) else [(None, case) for case in cases]

    def test_of(check: Callable[..., None]) -> Callable[[], None]:
        @wraps(check)
        def test() -> None:
            assert named, "there are no cases"
            failures = [
                (_name(name, case, number), error)
                for number, (name, case) in enumerate(named)
                if (error := _failure(check, case))
            ]
            if failures:
                reasons = (f"{name}: {type(error).__name__}: {error}" for name, error in failures)
                raise AssertionError("\n".join(reasons)) from failures[0][1]

        test.__signature__ = Signature()  # type: ignore[attr-defined] # or pytest looks for fixtures of these names
        return test

    return test_of


def _name(name: str | None, case: Any, number: int) -> str:
    if name is None and isinstance(case, PARAMETERS):
        name = case.id or str(_values(case))
    name = str(case) if name is None else name
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[:MAX_NAME_LENGTH]}… (case {number})"


def _failure(check: Callable[..., None], case: Any) -> BaseException | None:
    """How a check fails for a case."""
    try:
        check(*_values(case))
    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - it is part of what the test reports
        return error
    return None


def _values(case: Any) -> tuple[Any, ...]:
    if isinstance(case, PARAMETERS):
        assert not case.marks, "a case that has a mark needs a test of its own"
        return tuple(case.values)
    return case if isinstance(case, tuple) and case else (case,)
