"""Whatever the text is: no exception, places inside the text, one mistake told once, the same every time."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cases import each_of, number_of_cases
from trialrun.values.cel import check_expression
from trialrun.values.cel.check import check_with_engine
from trialrun.values.cel.environment import environment
from trialrun.values.cel.error_messages import is_limit, parse_issues
from trialrun.values.cel.parse import parse
from trialrun.values.cel.syntax_tree import MAX_DEPTH, is_too_deep
from trialrun.values.cel.type_schema import DEFAULT_SCHEMA

SOUND = [
    "order.items.exists(i, i.displayName == \"Burger\") && session.channelType == 'drive_thru'",
    "order.subtotal > 10.5 || (session.turn + 1) * 2 <= 4",
    'has(session.metadata.promo) && session.metadata["promo"].startsWith("a")',
    "session.turn in [1, 2, 3] ? true : !false",
    "order.items.map(i, i.quantity > 1, i.uid).size() == 0x1F",
    '{"a": 1, "b": -2}["a"] < 3u',
    'session.startTime > timestamp("2026-01-01T00:00:00Z") // why\n && true',
    "r\"\\d\" == \"\\x41\\u00e9\" && b\"\\101\" != b'''x'''",
    "cel.bind(x, 1.5e3, x > .5) && math.greatest(1, 2) == 2",
    'order.?orderType.orValue("x") == "y" && ["a"][?0].hasValue()',
    'order.metadata.`a b` == "😀\n" + """x"""',
]
CHARACTERS = "\"'\\()[]{}.,?:!-+=<&1;“”é😀`\0\ud800\n"
WORDS = (
    '&&|==|===|!=|>=|//|..|?.|[?|\r\n|or|and|not|in|true|null|0x|1.5|1u|.5|x|order|order.items|if|`a`|"a"|r"|b\'|"""|'
    "size|.length|has(|\\d"
)
TOKENS = st.sampled_from([*CHARACTERS, "|", "||", *WORDS.split("|")])


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(SOUND))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.sampled_from([0, 0, 1, 2, 5]))
        text = text[:start] + draw(st.just("") | TOKENS) + text[end:]
    return text


TEXTS = mutated() | st.lists(TOKENS, max_size=12).map(" ".join) | st.text(max_size=40)


@settings(max_examples=number_of_cases(400), deadline=None)
@given(TEXTS)
@example("1 == 1 && m=ath.greatest(1, 2) === 2")
def test_every_text_is_checked(text: str) -> None:
    found = check_expression(text)
    for problem in (*found.problems, *found.optional_reads):
        assert 0 <= problem.start <= problem.end <= len(text)
        assert "; " in problem.message
        assert problem.message == problem.message.strip().rstrip(".")
    # a slip of an operator and what it compares may both be wrong at one place, but nothing is told twice
    places = [(problem.start, problem.end, problem.code) for problem in found.problems]
    assert places == sorted(set(places))
    assert found == check_with_engine(text, DEFAULT_SCHEMA, "bool")


@settings(max_examples=number_of_cases(400), deadline=None)
@given(TEXTS)
def test_our_reading_agrees_with_the_engine(text: str) -> None:
    refusal = _refusal(text)
    if refusal is None:
        assert parse(text).problems == ()
    elif not is_limit(refusal) and any(each.message.startswith("Syntax") for each in parse_issues(text, refusal)):
        assert parse(text).problems != ()


def _refusal(text: str) -> str | None:
    try:
        environment(DEFAULT_SCHEMA).typed.compile(text)
    except RuntimeError as error:
        return str(error)
    except TypeError:
        return "Syntax: lone surrogates never reach the engine" if not text.isascii() else None
    return None


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


@pytest.mark.parametrize(
    ("operands", "expected"),
    [pytest.param(MAX_DEPTH, False, id="as deep as allowed"), pytest.param(MAX_DEPTH + 1, True, id="deeper")],
)
def test_a_chain_of_operators_is_as_deep_as_it_is_long(operands: int, expected: bool) -> None:
    tree = parse(" + ".join(["1"] * operands)).tree
    assert tree is not None
    assert is_too_deep(tree) is expected
