"""Parts of conditions: which a value rests on, and which could be left out unnoticed."""

from __future__ import annotations

from tests.cases import each_of
from trialrun.runtime.scenario.session.coverage import operand_deletions
from trialrun.runtime.scenario.session.format import deciding_operands
from trialrun.values import cel

STATE = {"order": {"subtotal": 5.0, "items": []}, "session": {"turn": 1, "daypartId": "lunch"}}
TRUE, FALSE = "order.subtotal > 1.0", "session.turn > 7"
OTHER_FALSE = "order.items.exists(i, i.quantity > 1)"


@each_of(
    [
        (f"{TRUE} && {FALSE}", [FALSE]),
        (f"{FALSE} && {TRUE} && {OTHER_FALSE}", [FALSE, OTHER_FALSE]),
        (f"{TRUE} && {TRUE}", [TRUE, TRUE]),
        (f"{TRUE} || {FALSE}", [TRUE]),
        (f"{FALSE} || {OTHER_FALSE}", [FALSE, OTHER_FALSE]),
        (f"!({FALSE})", [f"({FALSE})"]),
        (f"{TRUE} && !({FALSE} || {TRUE})", [TRUE]),
        (f"{TRUE} ? {FALSE} : {TRUE}", [TRUE, FALSE]),
        (f"{FALSE} ? {FALSE} : {TRUE}", [FALSE, TRUE]),
        (TRUE, [TRUE]),
    ],
)
def test_what_a_value_rests_on(condition: str, rests_on: list[str]) -> None:
    _, parts = cel.compile(condition).trace(STATE)
    assert [part.text for part in deciding_operands(condition, parts)] == rests_on


@each_of(
    [
        ("a && b", {"a": "true && b", "b": "a && true"}),
        ("a || b || c", {"a": "false || b || c", "b": "a || false || c", "c": "a || b || false"}),
        ("!(a && b)", {"a": "!(true && b)", "b": "!(a && true)"}),
        ("a && (b || c)", {"a": "true && (b || c)", "(b || c)": "a && true", "b": "a && (false || c)",
                           "c": "a && (b || false)"}),
        ("x.exists(i, i.a && i.b)", {"i.a": "x.exists(i, true && i.b)", "i.b": "x.exists(i, i.a && true)"}),
        ("t ? a : b", {"a": "(b)", "b": "(a)"}),
        ("(t ? a : b) && c", {"(t ? a : b)": "true && c", "a": "(b) && c", "b": "(a) && c",
                              "c": "(t ? a : b) && true"}),
        ("a > 1", {}),
        ("!a", {}),
        ("a &&", {}),
    ],
)  # fmt: skip
def test_every_operand_that_could_be_left_out(condition: str, without: dict[str, str]) -> None:
    assert {
        condition[operand_deletion.start : operand_deletion.end]: operand_deletion.mutated
        for operand_deletion in operand_deletions(condition)
    } == without
