"""int64 and integers: the cases, the forms that are taken and what replaces them."""

import json
from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values import Problem, int64
from trialrun.values.int64 import Integer

CASES = yaml.safe_load((Path(__file__).parent.parent / "cases/int64_cases.yaml").read_text(encoding="utf-8"))["cases"]
NUMBERS = [case for case in CASES if case["accept"] and case["canonical"]]
REFUSED = [case["json"] for case in CASES if case["accept"] is False]


@each_of(NUMBERS)
def test_taken_as_the_cases_say(case):
    found = int64.check(json.loads(case["json"]))
    assert isinstance(found, Integer)
    assert str(found.value) == case["canonical"]


@each_of(REFUSED)
def test_refused_as_the_cases_say(text):
    found = int64.check(json.loads(text))
    assert isinstance(found, Problem)
    assert found.code == "invalid"


def test_null_is_unset():
    assert int64.check(None) is None
    assert int64.check_integer(None) is None


@each_of(["0", "1", "-1", "9223372036854775807", "-9223372036854775808"])
def test_the_documented_form_of_an_int64_is_text(text):
    assert int64.check(text) == Integer(int(text), "text")


@each_of(
    [
        (7, "number", "7"), (7.0, "float", "7"), ("1.0", "fraction", "1"), ("1e3", "exponent", "1000"),
        ("1E+3", "exponent", "1000"), ("1.5e1", "exponent", "15"), ("100e-2", "exponent", "1"),
        ("0e99999999999", "exponent", "0"), ("+1", "plus", "1"), ("007", "zeros", "7"), ("-0", "negative-zero", "0"),
    ]
)  # fmt: skip
def test_other_forms_are_taken_and_remarked(value, form, canonical):
    found = int64.check(value)
    assert (found.form, found.problem.code, found.problem.replacement) == (form, "non-canonical", canonical)
    assert found.value == int(canonical)


@each_of([2**53 + 1, -(2**53) - 1, 2**63 - 1])
def test_numbers_that_other_readers_round(value):
    assert "2^53" in int64.check(value).problem.message


@each_of([1.234567890123457e18, 2.0**53, "1.234567890123457e+18", "9007199254740993.0"])
def test_a_large_number_that_was_a_float_may_lack_digits(value):
    assert int64.check(value).may_lack_digits


@each_of([2**53 + 1, str(2**53 + 1), 2.0**52, "1e3", 7.0])
def test_a_number_with_all_its_digits(value):
    assert not int64.check(value).may_lack_digits


def test_numbers_that_no_reader_rounds():
    assert "2^53" not in int64.check(2**53).problem.message


@each_of(
    [
        *("", " ", "x", "0x10", "١", "１", "1.", ".5", "1.5", "1e-5", "1e19", "1e999999999", "1,000", "--1", "NaN"),
        *("9" * 5000, "1e" + "9" * 5000, 1.5, 1e300, float("nan"), float("inf"), 10**40, 2**63, -(2**63) - 1),
        *(True, False, [1], {"a": 1}),
    ]
)
def test_refused(value):
    found = int64.check(value)
    assert (found.code, found.replacement) == ("invalid", None)


@each_of([("1_000", "1000"), (" 1 ", "1"), ("1\n", "1"), ("1 000", "1000")])
def test_refused_and_plain_what_was_meant(text, meant):
    assert int64.check(text) == int64.Problem("invalid", 0, len(text), int64.check(text).message, meant)


@each_of([("0x10", "x"), ("12a4", "a"), ("1,000", ","), ("abc", "abc"), ("x1", "x1")])
def test_refused_at_the_first_character_that_fits_no_number(text, characters):
    found = int64.check(text)
    assert text[found.start : found.end] == characters


@each_of([0, 1, -1, 2**63 - 1, -(2**63)])
def test_the_documented_form_of_an_integer_is_a_number(value):
    assert int64.check_integer(value) == Integer(value, "number")


@each_of([(1.0, "1"), ("1", "1"), ("1e3", "1000"), ("-0", "0")])
def test_integers_in_other_forms(value, canonical):
    found = int64.check_integer(value)
    assert (str(found.value), found.problem.replacement) == (canonical, canonical)


@each_of([2**63, -(2**63) - 1, str(2**63), 1.5, "", True, float("nan")])
def test_no_integer(value):
    assert isinstance(int64.check_integer(value), Problem)


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_int64_is_read_from_its_text_and_its_number(value):
    assert int64.check(str(value)).value == int64.check(value).value == value


ANYTHING = st.one_of(st.text(), st.text("0123456789+-.eE_ "), st.integers(), st.floats(), st.booleans(), st.none())


@given(ANYTHING)
def test_any_value_is_judged(value):
    found = int64.check(value)
    problem = found.problem if isinstance(found, Integer) else found
    if problem and isinstance(value, str):
        assert 0 <= problem.start <= problem.end <= len(value)
    if problem and problem.replacement is not None:
        assert int64.check(problem.replacement).problem is None


@given(st.from_regex(r"\A-?(0|[1-9][0-9]{0,16})(\.[0-9]{1,3})?([eE][+-]?[0-9])?\Z"))
def test_texts_are_read_as_json_reads_numbers(text):
    from decimal import Decimal

    exact = Decimal(text)
    found = int64.check(text)
    fits = exact == exact.to_integral_value() and -(2**63) <= exact <= 2**63 - 1
    assert (found.value == exact) if fits else isinstance(found, Problem)
