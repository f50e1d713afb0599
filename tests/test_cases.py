"""Which runs of the tests try all generated cases."""

import inspect
import re
from pathlib import Path

import pytest

from tests.cases import ALL_CASES, asks_for_all_cases, each_of, first_of, pairs_of, seeds, share_of, some_of

ROOT = Path(__file__).parent.parent


@each_of(
    [
        ("not exhaustive and not cluster", False),
        ("exhaustive", True),
        ("exhaustive or cluster", True),
        ("cluster", False),
        ("", True),
    ]
)
def test_the_exhaustive_tests_try_all_cases(markers: str, all_cases: bool) -> None:
    assert asks_for_all_cases(markers) == all_cases


def test_the_pipeline_tries_all_cases() -> None:
    (markers,) = re.findall(r"rest -m '([^']+)'", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert asks_for_all_cases(markers)


def test_a_test_of_many_cases_names_those_that_fail() -> None:
    def check(number: int, expected: int) -> None:
        if number == 0:
            pytest.fail("zero")
        assert 6 // number == expected

    each_of([(1, 6), (2, 3)])(check)()
    with pytest.raises(AssertionError) as told:
        each_of({"one": (1, 1), "two": (2, 3), "none": (0, 0), "text": ("2", 3)})(check)()
    lines = [line for line in str(told.value).splitlines() if line.startswith(("one: ", "two: ", "none: ", "text: "))]
    assert [line.partition(":")[0] for line in lines] == ["one", "none", "text"]
    assert lines[0].startswith("one: AssertionError: assert (6 // 1) == 1")
    assert isinstance(told.value.__cause__, AssertionError)
    with pytest.raises(AssertionError, match="there are no cases"):
        each_of([])(check)()


def test_a_case_of_a_test_of_many_may_have_an_id_or_a_long_name_and_no_marks() -> None:
    def check(number: int, expected: int) -> None:
        assert number == expected

    with pytest.raises(AssertionError, match=r"\Afirst: AssertionError: assert 1 == 2"):
        each_of([pytest.param(1, 2, id="first"), pytest.param(1, 1, id="second")])(check)()
    with pytest.raises(AssertionError, match=r"\Aa{200}… \(case 1\): TypeError: "):
        each_of([(1, 1), "a" * 300])(check)()
    with pytest.raises(AssertionError, match="needs a test of its own"):
        each_of([pytest.param(1, 1, marks=pytest.mark.exhaustive)])(check)()


@each_of("ab")
def check_that_is_wrapped(letter: str) -> None:
    """Where a letter is."""


def test_a_test_of_many_cases_keeps_what_pytest_reads_of_its_check() -> None:
    assert check_that_is_wrapped.__doc__ == "Where a letter is."
    assert inspect.unwrap(check_that_is_wrapped).__code__.co_filename == __file__
    assert not inspect.signature(check_that_is_wrapped).parameters


def test_cases_are_the_same_in_every_process() -> None:
    """pytest-xdist runs nothing at all where two workers collect different tests."""
    unseeded = re.compile("|".join(["os.urandom", "uuid4", "token_bytes", "token_hex", "SystemRandom"]))
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")}
    assert [str(path) for path, text in texts.items() if path.name != "test_cases.py" and unseeded.search(text)] == []


def test_cases_that_are_not_tried_are_not_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ALL_CASES, raising=False)
    assert (some_of(range(17)), seeds(17), seeds(9, 3), first_of("abc")) == ([0, 16], [0, 1], [0, 1, 2], ["a"])
    assert pairs_of("ab", "xy") == [("a", "x"), ("b", "y")]
    assert pairs_of("ab", "xy", 1) == [("a", "x")]
    assert (some_of(range(9), 4), share_of(range(9), 4)) == ([0, 4, 8], range(0, 9, 4))
    assert [*map(list, (share_of(range(9), 4, turn) for turn in (1, 3, 4)))] == [[1, 5], [3, 7], [0, 4, 8]]
    monkeypatch.setenv(ALL_CASES, "1")
    assert [len(cases) for cases in (some_of(range(9)), seeds(9), seeds(9, 3), first_of("abc"))] == [9, 9, 9, 3]
    assert [len(pairs_of("ab", "xy", first)) for first in (None, 1)] == [4, 4]
    assert share_of(range(9), 4) == range(9)


def test_an_empty_tuple_is_one_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALL_CASES, "1")
    (case,) = first_of([()], 0)
    assert case.values == ((),)
