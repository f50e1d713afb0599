"""Many checks evaluated together say what each says alone."""

from __future__ import annotations

import pytest

from trialrun.values.cel import check, schema
from trialrun.values.cel.batch import CHUNK, Batch, Untrue, text_value
from trialrun.values.cel.evaluate import CelError
from trialrun.values.cel.field_presence import Reads, over_mappings, reads_of

STATE = {"self": {"n": 1, "name": "a"}}
CHECKS = ["self.n > 1", "self.n == 1 // with a remark", "self.none > 1", "self.name", "true"]
SAID = [
    Untrue(0),
    None,
    Untrue(2, 'Key not found in map : "none"'),
    Untrue(3, "it gives 'a', not true or false"),
    None,
]
SCHEMA = schema({"A": {"n": "int", "b": "B", "bs": "list(B)"}, "B": {"x": "string"}}, {"self": "A"})


@pytest.mark.parametrize("times", [1, CHUNK, 3 * CHUNK])
def test_a_check_says_the_same_beside_any_others(times: int) -> None:
    said = list(Batch(CHECKS * times, ("self",)).untrue(STATE))
    expected = [(at * len(CHECKS) + one.index, one.error) for at in range(times) for one in SAID if one]
    assert [(one.index, one.error) for one in said] == expected


def test_sound_checks_of_many_chunks() -> None:
    checks = [f"self.n != {number % 7}" for number in range(100)]
    assert [one.index for one in Batch(checks, ("self",)).untrue(STATE)] == list(range(1, 100, 7))


def test_those_passed_over_are_not_evaluated() -> None:
    assert list(Batch(CHECKS, ("self",)).untrue(STATE, {0, 2})) == [SAID[3]]


def test_a_check_as_deep_as_the_engine_takes_goes_with_others() -> None:
    deep = "(" * 28 + "self.n" + ")" * 28 + " > 1"
    assert [one.index for one in Batch([deep] * 20, ("self",)).untrue(STATE)] == list(range(20))


def test_a_text_value() -> None:
    assert text_value("self.name + '!'", STATE, ("self",)) == "a!"
    with pytest.raises(CelError, match="it gives 1, not a text"):
        text_value("self.n", STATE, ("self",))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("has(self.b)", "has(self.b__set)"),
        ("has(self.b.x) && self.b.x == ''", "has(self.b.x__set) && self.b.x == ''"),
        ("self.bs.exists(b, has(b.x))", "self.bs.exists(b, has(b.x__set))"),
        ("has(self.`n`)", "has(self.`n__set`)"),
        ("self.n == 1", "self.n == 1"),
    ],
)
def test_presence_is_asked_of_mappings(text: str, plain: str) -> None:
    tree = check(text, schema=SCHEMA).tree
    assert tree is not None
    assert over_mappings(text, tree, SCHEMA) == plain


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("has(self.b)", Reads(asked=frozenset({("A", "b")}))),
        ("self.b.x == ''", Reads(frozenset({("A", "b"), ("B", "x")}))),
        ("self.bs.all(b, b.x != '')", Reads(frozenset({("A", "bs"), ("B", "x")}))),
        ("size(self.bs) > 1", Reads(frozenset({("A", "bs")}))),
        ("self.b in self.bs", Reads(frozenset({("A", "b"), ("A", "bs")}), everything=True)),
    ],
)
def test_what_a_text_reads(text: str, reads: Reads) -> None:
    tree = check(text, schema=SCHEMA).tree
    assert tree is not None
    assert reads_of(tree, SCHEMA) == Reads(reads.values, reads.asked, frozenset({"self"}), reads.everything)
