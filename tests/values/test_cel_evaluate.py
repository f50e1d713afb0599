"""The values of conditions on states, alone, part by part, many together, and while Ctrl-C is pressed."""

import datetime
import json
import os
import subprocess
import sys
from itertools import product
from typing import Any

import celpy
import pytest

from tests.cases import each_of
from tests.program import SOURCE
from trialrun.values.cel import CelError, build_schema, check_expression, compile
from trialrun.values.cel.batch import (
    CHUNK_SIZE,
    CheckBatch,
    DocumentEngine,
    PlainStateEngine,
    StateEngine,
    evaluate_text,
)
from trialrun.values.cel.field_presence import FieldReads, apply_edits, field_reads, presence_edits

NOON = datetime.datetime(2027, 1, 31, 12, tzinfo=datetime.UTC)
STATE = {
    "order": {
        "items": [
            {"uid": "1", "displayName": "Burger", "quantity": 2, "basePrice": 5},
            {"uid": "2", "displayName": "Fries", "quantity": 1, "basePrice": 2.5},
        ],
        "subtotal": 12,
        "orderType": "TAKE_OUT",
        "metadata": {"table": "7"},
    },
    "session": {"store": "s1", "turn": 3, "metadata": {}, "channelType": "web", "startTime": NOON},
}

TRUE = [
    "order.subtotal > 10",
    "order.subtotal / 2.0 == 6.0",
    "order.items.map(i, i.basePrice * double(i.quantity)) == [10.0, 2.5]",
    "session.startTime.getHours('America/New_York') == 7",
    "session.startTime - timestamp('2027-01-31T11:30:00Z') == duration('30m')",
    "!has(session.metadata.promo)",
    "session.metadata.promo == 'x' || session.turn == 3",
]


@each_of(TRUE)
def test_true_conditions(condition: str) -> None:
    assert compile(condition).evaluate(STATE) is True


AGREED = [
    "order.items.exists(i, i.displayName == 'Burger' && i.quantity > 1)",
    "order.items.all(i, i.quantity > 1)",
    "order.items.filter(i, i.quantity == 1).size()",
    "order.items.exists_one(i, i.displayName.startsWith('F'))",
    "order.items.map(i, i.displayName)",
    "session.turn in [1, 2, 3] && session.store != 's2'",
    "session.turn > 2 ? 'late' : 'early'",
    "(session.turn + 4) * 2 % 5",
    "-session.turn - -1",
    "'7' in order.metadata || 'table' in order.metadata",
    "order.metadata['table'] + session.store",
    "session.store.matches('^s[0-9]$')",
    "session.store.size() + order.items.size()",
    "has(order.metadata.table) && !has(order.metadata.chair)",
    "false && session.metadata.promo == 'x'",
]


@each_of(AGREED)
def test_cel_python_agrees(condition: str) -> None:
    environment = celpy.Environment()
    state = {**STATE, "session": {**STATE["session"], "startTime": None}}
    values = {name: celpy.json_to_cel(value) for name, value in state.items()}
    other = environment.program(environment.compile(condition)).evaluate(values)
    assert json.loads(json.dumps(other, cls=celpy.CELJSONEncoder)) == compile(condition, result="dyn").evaluate(STATE)


CYCLE: dict[str, Any] = {}
CYCLE["self"] = [CYCLE]
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]

REFUSED = [
    ({"session": CYCLE}, "holds itself"),
    ({"session": {"store": DEEP}}, "nests deeper than 100 levels"),
    ({"session": {"store": object()}}, "of type object"),
    ({"session": {"store": "\ud800"}}, "surrogate"),
    ({"session": {"\ud800": 1}}, "surrogate"),
    ({"session": {"turn": 2**64}}, "64-bit range"),
    ({"session": {1.5: 1}}, "a key is text"),
    ({"session": {"startTime": NOON.replace(tzinfo=None)}}, "no offset"),
    ([], "the variables are a mapping"),
    ({}, 'No value with name "session"'),
    ({"session": {}}, "Key not found"),
]


@pytest.mark.parametrize(("state", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_states_that_are_refused(state: Any, message: str) -> None:
    with pytest.raises(CelError, match=message):
        compile("session.turn == 1").evaluate(state)


def test_a_state_may_hold_one_value_twice() -> None:
    shared = {"uid": "1"}
    assert compile("order.items[0] == order.items[1]").evaluate({"order": {"items": [shared, shared]}})


def test_a_condition_that_goes_through_too_many_items() -> None:
    state = {"order": {"items": [{"quantity": 1}] * 200}}
    with pytest.raises(CelError, match="more than 10000 items"):
        compile("order.items.all(i, order.items.all(j, j.quantity == i.quantity))").evaluate(state)


def test_a_wrong_condition_has_its_problems() -> None:
    with pytest.raises(CelError) as raised:
        compile("order.subtotl > 1")
    assert [each.replacement for each in raised.value.problems] == ["subtotal"]


def test_null_results_are_never_read() -> None:
    # reading a null takes a reference to None away, and Python 3.11 aborts once none is left
    programs = [compile(each, result="dyn") for each in ("order.metadata.a", "order.items", "order.metadata")]
    state = {"order": {"items": [None, [None]], "metadata": {"a": None}}}
    for _ in range(5_000):
        values = [program.evaluate(state) for program in programs]
    assert values == [None, [None, [None]], {"a": None}]


def test_trace() -> None:
    condition = "order.items.exists(i, i.quantity > 1) && (session.metadata.promo == 'x' || session.turn > 2)"
    value, parts = compile(condition).trace(STATE)
    assert value is True
    assert [(part.text, part.error or part.value) for part in parts if part.text != "order.items"] == [
        (condition, True),
        ("order.items.exists(i, i.quantity > 1)", True),
        ("(session.metadata.promo == 'x' || session.turn > 2)", True),
        ("session.metadata.promo == 'x'", 'Key not found in map : "promo"'),
        ("session.metadata.promo", 'Key not found in map : "promo"'),
        ("session.turn > 2", True),
        ("session.turn", 3),
    ]
    assert all(condition[part.start : part.end] == part.text for part in parts)


def test_a_condition_that_fails_has_its_parts() -> None:
    with pytest.raises(CelError, match="Key not found") as raised:
        compile("session.turn == 3 && session.metadata.promo == 'x'").trace(STATE)
    assert [part.value for part in raised.value.parts if part.text == "session.turn == 3"] == [True]


@each_of(
    [
        ("math.greatest(order.subtotal, 1.0) > 2.0", ["math.greatest(order.subtotal, 1.0)", "order.subtotal"]),
        ("sets.contains(['web'], [session.channelType])", ["['web']", "[session.channelType]", "session.channelType"]),
        ("session.metadata[?'promo'].orValue('none') == 'none'", ["session.metadata[?'promo'].orValue('none')"]),
        ("order.items[?1].hasValue()", ["order.items"]),
    ]
)
def test_namespaces_of_functions_and_optional_values_are_no_parts(condition: str, parts: list[str]) -> None:
    value, found = compile(condition).trace(STATE)
    texts = [part.text for part in found if part.text != "session.metadata"]
    assert (value, texts) == (True, [condition, *parts])
    assert [part.error for part in found if part.error] == []


def test_a_range_below_0_is_a_failure_of_the_condition() -> None:
    with pytest.raises(CelError, match=r"lists\.range needs a number of 0 or more"):
        compile("lists.range(order.items.size() - 3).size() > 0").trace(STATE)


def test_time_zones_are_those_of_the_pinned_package_whatever_the_machine_has() -> None:
    condition = "timestamp('2027-01-31T12:00:00Z').getHours('Asia/Tokyo') == 21"
    program = f'from trialrun.values.cel import compile; print(compile("{condition}").evaluate({{}}))'
    environment = {**os.environ, "TZDIR": "/nowhere"}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == "True\n"


def test_the_keys_of_a_map_come_in_their_order() -> None:
    many = {f"{number:02}": "x" for number in reversed(range(40))}
    state = STATE | {"session": {"metadata": many}}
    _, parts = compile("session.metadata.size() > 0").trace(state)
    assert list(next(part.value for part in parts if part.text == "session.metadata")) == sorted(many)


def test_a_part_that_lists_the_keys_of_a_map_has_them_in_one_order() -> None:
    keys = ["delta", "alpha", "echo", "bravo", "charlie", "foxtrot", "golf"]
    state = {"order": {"metadata": dict.fromkeys(keys, "")}}
    _, parts = compile("order.metadata.map(k, k).size() == 7").trace(state)
    assert [part.value for part in parts if part.text == "order.metadata.map(k, k)"] == [sorted(keys)]


def test_what_the_engine_cannot_evaluate_is_told_in_words() -> None:
    with pytest.raises(CelError, match="transformMap and transformMapEntry cannot be evaluated here"):
        compile("[1, 2].transformMap(i, v, v * 2).size() == 2").evaluate({})


ENGINES = [PlainStateEngine(("self",)), DocumentEngine((), ("self",))]
SELF = {"self": {"n": 1, "name": "a"}}
CHECKS = ["self.n > 1", "self.n == 1 // with a remark", "self.none > 1", "self.name", "true"]
SAID = [(0, None), None, (2, 'Key not found in map : "none"'), (3, "its result is 'a', not true or false"), None]
SCHEMA = build_schema({"A": {"n": "int", "b": "B", "bs": "list(B)"}, "B": {"x": "string"}}, {"self": "A"})


@each_of(product([1, CHUNK_SIZE, 3 * CHUNK_SIZE], ENGINES))
def test_a_check_says_the_same_beside_any_others(times: int, engine: StateEngine) -> None:
    said = list(CheckBatch(CHECKS * times, engine).failed_checks(SELF))
    assert said == [(at * len(CHECKS) + one[0], one[1]) for at in range(times) for one in SAID if one]


@pytest.mark.parametrize("engine", ENGINES)
def test_sound_checks_of_many_chunks(engine: StateEngine) -> None:
    checks = [f"self.n != {number % 7}" for number in range(100)]
    assert [index for index, _ in CheckBatch(checks, engine).failed_checks(SELF)] == list(range(1, 100, 7))


@pytest.mark.parametrize("engine", ENGINES)
def test_those_passed_over_are_not_evaluated(engine: StateEngine) -> None:
    assert list(CheckBatch(CHECKS, engine).failed_checks(SELF, {0, 2})) == [SAID[3]]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_check_as_deep_as_the_engine_takes_goes_with_others(engine: StateEngine) -> None:
    deep = "(" * 28 + "self.n" + ")" * 28 + " > 1"
    assert [index for index, _ in CheckBatch([deep] * 20, engine).failed_checks(SELF)] == list(range(20))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_text_value(engine: StateEngine) -> None:
    assert evaluate_text("self.name + '!'", SELF, engine) == "a!"
    with pytest.raises(CelError, match="its result is 1, not text"):
        evaluate_text("self.n", SELF, engine)


@each_of(
    [
        ("has(self.b)", "has(self.b__set)"),
        ("has(self.b.x) && self.b.x == ''", "has(self.b.x__set) && self.b.x == ''"),
        ("self.bs.exists(b, has(b.x))", "self.bs.exists(b, has(b.x__set))"),
        ("has(self.`n`)", "has(self.`n__set`)"),
        ("self.n == 1", "self.n == 1"),
    ]
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
    ]
)
def test_what_a_text_reads(text: str, reads: FieldReads) -> None:
    tree = check_expression(text, schema=SCHEMA).tree
    assert tree is not None
    assert field_reads(tree, SCHEMA) == FieldReads(
        reads.values, reads.presence, frozenset({"self"}), reads.whole_messages
    )


AT_AN_IMPORT = """
class AtImport:
    def find_spec(self, name, *rest):
        if name == "cel_expr_python.cel":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, AtImport())
"""
AT_A_TYPE = """
from trialrun.values.cel.environment import TypePool
find = TypePool.FindFileContainingSymbol

def interrupted(pool, name):
    signal.raise_signal(signal.SIGINT)
    return find(pool, name)

TypePool.FindFileContainingSymbol = interrupted
"""
CHECK = """
try:
    from trialrun.values.cel import check_expression
    check_expression("order.subtotal > 1.0")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("ctrl_c", [AT_AN_IMPORT, AT_A_TYPE], ids=["import", "type"])
def test_the_engine_is_interrupted(ctrl_c: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import signal, sys\n{ctrl_c}\n{CHECK}"],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr
