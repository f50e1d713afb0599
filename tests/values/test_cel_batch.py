"""Many checks evaluated together say what each says alone."""

from __future__ import annotations

from itertools import product

import pytest

from tests.cases import each_of
from trialrun.values.cel import build_schema, check_expression
from trialrun.values.cel.batch import (
    CHUNK_SIZE,
    CheckBatch,
    DocumentEngine,
    FailedCheck,
    PlainStateEngine,
    StateEngine,
    evaluate_text,
)
from trialrun.values.cel.evaluate import CelError
from trialrun.values.cel.field_presence import FieldReads, apply_edits, field_reads, presence_edits

ENGINES = [PlainStateEngine(("self",)), DocumentEngine((), ("self",))]
STATE = {"self": {"n": 1, "name": "a"}}
CHECKS = ["self.n > 1", "self.n == 1 // with a remark", "self.none > 1", "self.name", "true"]
SAID = [
    FailedCheck(0),
    None,
    FailedCheck(2, 'Key not found in map : "none"'),
    FailedCheck(3, "its result is 'a', not true or false"),
    None,
]
SCHEMA = build_schema({"A": {"n": "int", "b": "B", "bs": "list(B)"}, "B": {"x": "string"}}, {"self": "A"})


@each_of(product([1, CHUNK_SIZE, 3 * CHUNK_SIZE], ENGINES))
def test_a_check_says_the_same_beside_any_others(times: int, engine: StateEngine) -> None:
    said = list(CheckBatch(CHECKS * times, engine).failed_checks(STATE))
    expected = [(at * len(CHECKS) + one.index, one.error) for at in range(times) for one in SAID if one]
    assert [(one.index, one.error) for one in said] == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_sound_checks_of_many_chunks(engine: StateEngine) -> None:
    checks = [f"self.n != {number % 7}" for number in range(100)]
    assert [failed_check.index for failed_check in CheckBatch(checks, engine).failed_checks(STATE)] == list(
        range(1, 100, 7)
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_those_passed_over_are_not_evaluated(engine: StateEngine) -> None:
    assert list(CheckBatch(CHECKS, engine).failed_checks(STATE, {0, 2})) == [SAID[3]]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_check_as_deep_as_the_engine_takes_goes_with_others(engine: StateEngine) -> None:
    deep = "(" * 28 + "self.n" + ")" * 28 + " > 1"
    assert [failed_check.index for failed_check in CheckBatch([deep] * 20, engine).failed_checks(STATE)] == list(
        range(20)
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_text_value(engine: StateEngine) -> None:
    assert evaluate_text("self.name + '!'", STATE, engine) == "a!"
    with pytest.raises(CelError, match="its result is 1, not text"):
        evaluate_text("self.n", STATE, engine)


@each_of(
    [
        ("has(self.b)", "has(self.b__set)"),
        ("has(self.b.x) && self.b.x == ''", "has(self.b.x__set) && self.b.x == ''"),
        ("self.bs.exists(b, has(b.x))", "self.bs.exists(b, has(b.x__set))"),
        ("has(self.`n`)", "has(self.`n__set`)"),
        ("self.n == 1", "self.n == 1"),
    ],
)
def test_presence_is_asked_of_mappings(text: str, plain: str) -> None:
    tree = check_expression(text, schema=SCHEMA).tree
    assert tree is not None
    assert apply_edits(text, presence_edits(text, tree, SCHEMA)) == plain


@each_of(
    [
        ("has(self.b)", FieldReads(presence=frozenset({("A", "b")}))),
        ("self.b.x == ''", FieldReads(frozenset({("A", "b"), ("B", "x")}))),
        ("self.bs.all(b, b.x != '')", FieldReads(frozenset({("A", "bs"), ("B", "x")}))),
        ("size(self.bs) > 1", FieldReads(frozenset({("A", "bs")}))),
        ("self.b in self.bs", FieldReads(frozenset({("A", "b"), ("A", "bs")}), whole_messages=True)),
    ],
)
def test_what_a_text_reads(text: str, reads: FieldReads) -> None:
    tree = check_expression(text, schema=SCHEMA).tree
    assert tree is not None
    assert field_reads(tree, SCHEMA) == FieldReads(
        reads.values, reads.presence, frozenset({"self"}), reads.whole_messages
    )
