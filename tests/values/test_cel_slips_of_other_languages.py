"""Placeholders, questions for null, and texts' functions on lists: one problem each, with what to write."""

from __future__ import annotations

from tests.cases import each_of
from trialrun.values.cel import check_expression

# condition · [(code, the exact characters, a piece of the message, replacement)]
CASES = [
    ("order.subtotal > ${LIMIT}", [("placeholder", "${LIMIT}", "fill it in", None)]),
    ("order.subtotal > {{ limit }}", [("placeholder", "{{ limit }}", "fill it in", None)]),
    ("order.subtotal > {limit}", [("placeholder", "{limit}", "fill it in", None)]),
    ("order.subtotal > $(LIMIT)", [("placeholder", "$(LIMIT)", "fill it in", None)]),
    ("${CONDITION}", [("placeholder", "${CONDITION}", "fill it in", None)]),
    (
        "order.subtotl > ${LIMIT} && session.turn == {{ turn }}",
        [
            ("undeclared", "subtotl", 'did you mean "subtotal"?', "subtotal"),
            ("placeholder", "${LIMIT}", "fill it in", None),
            ("placeholder", "{{ turn }}", "fill it in", None),
        ],
    ),
    ("order.subtotal is not null", [("syntax", "is not null", "write has(order.subtotal)", "has(order.subtotal)")]),
    ("order.orderType is null", [("syntax", "is null", "write !has(order.orderType)", "!has(order.orderType)")]),
    ("order.orderType IS NOT NULL", [("syntax", "IS NOT NULL", "write has(order.orderType)", "has(order.orderType)")]),
    (
        "session.turn > 1 and order.orderType is None",
        [
            ("syntax", "and", "write &&", "&&"),
            ("syntax", "is None", "write !has(order.orderType)", "!has(order.orderType)"),
        ],
    ),
    ("order.items.contains('Fries')", [("type", "contains", "write exists(x, x.… == …)", None)]),
    ("['a'].contains('a')", [("type", "contains", "write value in list", None)]),
    ("order.metadata.contains('a')", [("type", "contains", "write key in map", None)]),
    ("order.items.startsWith('Fries')", [("type", "startsWith", "write exists(x, x.….startsWith(…))", None)]),
]


@each_of(CASES)
def test_one_slip_is_one_problem(text: str, expected: list[tuple[str, str, str, str | None]]) -> None:
    problems = check_expression(text).problems
    assert [(problem.code, text[problem.start : problem.end], problem.replacement) for problem in problems] == [
        (code, characters, replacement) for code, characters, _, replacement in expected
    ]
    for one, (_, _, message, _) in zip(problems, expected, strict=True):
        assert message in one.message


@each_of(["order.orderType == '${A}'", "{'a': 1}['a'] == 1", "{}.size() == 0", "'{a}' == '{{a}}'"])
def test_braces_of_cel_are_no_placeholders(text: str) -> None:
    assert check_expression(text).problems == ()
