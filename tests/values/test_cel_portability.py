"""What is said about conditions that other engines of CEL refuse or answer differently."""

from __future__ import annotations

from tests.cases import each_of
from trialrun.values.cel import build_schema, check_expression

TICKET = {"price": "double", "tip": "double?", "count": "int", "size": "uint", "note": "string", "due": "timestamp"}
SCHEMA = build_schema({"Ticket": TICKET}, {"t": "Ticket"})

# condition · the characters · what replaces them · whether that is the same number
MIXED = [
    ("t.price > 20", "20", "20.0", True),
    ("20 < t.price", "20", "20.0", True),
    ("t.price != -5", "-5", "-5.0", True),
    ("t.price == 0x14", "0x14", "20.0", True),
    ("has(t.tip) && t.tip >= 2", "2", "2.0", True),
    ("[t.price].exists(p, p > 3)", "3", "3.0", True),
    ("t.count > 2.0", "2.0", "2", True),
    ("t.count == 2u", "2u", "2", True),
    ("t.size < 3", "3", "3u", True),
    ("t.size <= 3.0", "3.0", "3u", True),
    ("t.count > 2.5", "t.count", "double(t.count)", False),
    ("t.price > 9007199254740993", "9007199254740993", "double(9007199254740993)", False),
    ("t.size > -1", "t.size", "int(t.size)", False),
    ("t.count < t.price", "t.count", "double(t.count)", False),
    ("t.size == t.count", "t.size", "int(t.size)", False),
]


@each_of(MIXED)
def test_numbers_of_two_types(condition: str, characters: str, new: str, is_exact: bool) -> None:
    checked = check_expression(condition, schema=SCHEMA)
    (problem,) = checked.portability
    assert (condition[problem.start : problem.end], problem.replacement) == (characters, new)
    assert (problem.code == "exact-mixed-comparison") is is_exact
    fixed = condition[: problem.start] + new + condition[problem.end :]
    after = check_expression(fixed, schema=SCHEMA)
    assert (after.problems, after.portability) == ((), ())


DIFFERENT = [
    ("string(t.price) == '20'", "string", "engines write a double as different texts; compare it with a number"),
    ("string(t.due).startsWith('2026')", "string", "compare it with timestamp('…')"),
    ("string(t.due - t.due) in ['0s']", "string", "compare it with duration('…')"),
    (r"t.note.matches('^\\d+$')", "matches", r"\d has characters of all scripts in some engines"),
    (r"t.note.matches(r'\w')", "matches", r"\w has"),
    (r"t.note.matches(r'[\s]')", "matches", r"\s has"),
    (r"matches(t.note, r'\bA')", "matches", r"\b has"),
    ("'%.2f'.format([t.price]) == '2.35'", "format", "engines round the digits of %.2f differently"),
    ("'%e'.format([t.price]) == '2.35e+00'", "format", "engines round the digits of %e differently"),
]


@each_of(DIFFERENT)
def test_values_that_depend_on_the_engine(condition: str, characters: str, message: str) -> None:
    (problem,) = check_expression(condition, schema=SCHEMA).portability
    assert (condition[problem.start : problem.end], problem.code) == (characters, "differs")
    assert message in problem.message


@each_of(
    [
        "t.price > 20.0 && t.count > 2 && t.size < 3u && t.price != t.tip",
        "dyn(t.price) > 20",
        "string(t.count) == '20' && string(t.note) == 'a' && string(true) == 'true'",
        r"t.note.matches('[0-9]+$') && t.note.matches(r'\\d') && t.note.matches(r'a\.b')",
        "'%s %d 100%%f'.format([t.note, t.count]) == 'a 1'",
        "t.due > timestamp('2026-01-01T00:00:00Z') && t.due - t.due < duration('1h')",
    ]
)
def test_portable_conditions(condition: str) -> None:
    checked = check_expression(condition, schema=SCHEMA)
    assert (checked.problems, checked.portability) == ((), ())


@each_of(
    [
        "string(1000000.0) == '1e+06'",
        "string(1e21) != '1e+21'",
        "string(duration('1h30m0.5s')) == '5400.500s'",
        "string(timestamp('2026-12-01T02:00:00+02:00')) == '2026-12-01T00:00:00Z'",
        r"'٣'.matches('^\\d$')",
        "'%.2f'.format([2.345]) == '2.35'",
        "int(string(1.5)) > 0",
    ]
)
def test_nothing_is_proved_from_a_value_that_depends_on_the_engine(condition: str) -> None:
    checked = check_expression(condition, schema=SCHEMA)
    assert (checked.constant, checked.failing) == (None, None)
    assert [problem.code for problem in checked.portability] == ["differs"]


@each_of([("string(1.5) == '1.5' && false", False), ("1 == 1.0", True), ("string(2) == '2'", True)])
def test_what_holds_for_every_engine_is_proved(condition: str, value: bool) -> None:
    assert check_expression(condition, schema=SCHEMA).constant is value
