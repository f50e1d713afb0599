"""What is said of valid conditions: extensions, other engines, parts that always fail, and values that grow."""

from tests.cases import each_of
from trialrun.values import cel
from trialrun.values.cel import EXTENSIONS, build_schema, check_expression
from trialrun.values.cel.cost import find_oversized

STANDARD: frozenset[str] = frozenset()
# condition · the characters of each use · its library
USES = [
    ("session.store.lowerAscii() == 'a'", ["lowerAscii"], ["strings"]),
    ("'a'.reverse() == 'a'", ["reverse"], ["strings"]),
    ("[1].reverse() == [1]", ["reverse"], ["lists"]),
    ("['a'].join(',') == 'a'", ["join"], ["strings"]),
    ("strings.quote('a') == 'a'", ["strings.quote"], ["strings"]),
    ("math.greatest(1, 2) == 2", ["math.greatest"], ["math"]),
    ("sets.contains([1], [1])", ["sets.contains"], ["sets"]),
    ("lists.range(2) == [0, 1]", ["lists.range"], ["lists"]),
    ("order.items.distinct().size() > 1", ["distinct"], ["lists"]),
    ("order.?items.orValue([]).size() > 1", ["items", "orValue"], ["optional", "optional"]),
    ("order.items[?0].hasValue()", ["[", "hasValue"], ["optional", "optional"]),
    ("cel.bind(a, order.items.size(), a > 1)", ["cel.bind"], ["bindings"]),
    ("order.items.exists(i, v, i > 1)", ["exists"], ["two-var-comprehensions"]),
    ("order.items.transformList(i, v, i).size() > 1", ["transformList"], ["two-var-comprehensions"]),
    ("order.items.existsOne(i, v, i > 1)", ["existsOne"], ["two-var-comprehensions"]),
    ("session.store.trim().size() > math.abs(-2)", ["trim", "math.abs"], ["strings", "math"]),
]


@each_of(USES)
def test_uses_of_extensions(text: str, characters: list[str], libraries: list[str]) -> None:
    found = check_expression(text, extensions=STANDARD)
    assert found.problems == ()
    assert [text[use.start : use.end] for use in found.extension_uses] == characters
    assert [use.code for use in found.extension_uses] == libraries
    assert check_expression(text, extensions=frozenset(libraries)).extension_uses == ()
    assert check_expression(text).extension_uses == ()


@each_of(
    [
        "order.items.exists(i, i.displayName.contains('a') && i.displayName.startsWith('a'))",
        "order.items.map(i, i.quantity > 1, i.displayName).all(n, n.endsWith('a') || n.matches('a'))",
        "order.items.filter(i, i.quantity > 1).size() > 0 && order.items.exists_one(i, i.quantity == 2)",
        "has(order.metadata.a) && size(order.metadata) > 1 && 'a' in order.metadata",
        "session.startTime.getHours() > 3 && session.startTime - duration('1h') < timestamp('2026-01-01T00:00:00Z')",
        "int(order.subtotal) + int('1') > 2 && string(session.turn) == '1' && type(1) == int && dyn(1) == 1",
    ]
)
def test_the_standard_library_is_no_extension(text: str) -> None:
    found = check_expression(text, extensions=STANDARD)
    assert (found.problems, found.extension_uses) == ((), ())


# condition · what is proposed where the library is on · the library
PROPOSED = [
    ("session.store.toLowerCase() == 'a'", "lowerAscii", "strings"),
    ("session.store.lowerAsci() == 'a'", "lowerAscii", "strings"),
    ("session.store.strip() == 'a'", "trim", "strings"),
    ("order.items.distinkt().size() > 1", "distinct", "lists"),
    ("math.greates(1, 2) > 1", "greatest", "math"),
    ("sets.contain([1], [1])", "contains", "sets"),
]


@each_of(PROPOSED)
def test_only_functions_that_are_on_are_proposed(text: str, proposed: str, library: str) -> None:
    (on,), (off,) = (check_expression(text, extensions=frozenset(on)).problems for on in ([library], []))
    assert on.replacement == proposed
    assert off.replacement != proposed
    assert proposed not in off.message


@each_of(
    [
        ("order.items.exist(i, i.quantity > 1)", "exists"),
        ("order.items.any(i, i.quantity > 1)", "exists"),
        ("order.items.map(i, i.quantity).max() > 1", None),
        ("order.items.any()", None),
    ]
)
def test_a_macro_is_proposed_for_calls_with_its_arguments(text: str, proposed: str | None) -> None:
    assert check_expression(text, extensions=STANDARD).problems[0].replacement == proposed


def test_a_function_without_its_brackets_is_proposed_where_it_is_on() -> None:
    text = "session.store.lowerAscii == 'a'"
    assert check_expression(text).problems[0].replacement == "lowerAscii()"
    assert check_expression(text, extensions=STANDARD).problems[0].replacement is None


def test_every_extension_has_a_use_among_the_cases() -> None:
    assert {library for *_, libraries in USES for library in libraries} == set(EXTENSIONS)


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
    (problem,) = check_expression(condition, schema=SCHEMA).portability
    assert (condition[problem.start : problem.end], problem.replacement) == (characters, new)
    assert (problem.code == "exact-mixed-comparison") is is_exact
    after = check_expression(condition[: problem.start] + new + condition[problem.end :], schema=SCHEMA)
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


HOUR = "session.startTime.getHours('Europe/Berlin')"
# condition · the value that it always has
CONSTANT = [
    ("session.store in []", False),
    ("!(session.store in [])", True),
    ("session.store in {}", False),
    ("session.store in ['a']", None),
    (f"{HOUR} == 25", False),
    (f"{HOUR} > 23", False),
    (f"{HOUR} < 24", True),
    (f"{HOUR} >= 0", True),
    (f"{HOUR} != 24", True),
    (f"{HOUR} == 23", None),
    (f"{HOUR} in [24, 25]", False),
    (f"{HOUR} in [23, 24]", None),
    (f"{HOUR} >= 22 && {HOUR} < 6", False),
    ("session.startTime.getDayOfWeek() == 7", False),
    ("session.startTime.getDayOfWeek() == 0", None),
    ("session.startTime.getMonth() == 12", False),
    ("session.startTime.getMonth() == 0", None),
    ("session.startTime.getDate() == 0", False),
    ("session.startTime.getDayOfMonth() == 31", False),
    ("session.startTime.getDayOfYear() == 366", False),
    ("session.startTime.getMinutes() == 60", False),
    ("duration('90m').getMinutes() == 90", True),
    ("session.turn < 0", False),
    ("session.upsellOffers >= 0", True),
    ("order.items.size() < 0", False),
    ("order.items.exists(i, i.displayName in [])", False),
]
# condition · the part that always fails
FAILING = [
    ("1 / 0 > 1", "1 / 0"),
    ("session.turn > 1 && 1 % 0 == 1", "1 % 0"),
    ("[1, 2][5] == session.turn", "[1, 2][5]"),
    ("order.items[-1].quantity > 1", "order.items[-1]"),
    ("{'a': 1}['b'] == session.turn", "{'a': 1}['b']"),
    ("session.turn + 9223372036854775807 + 1 > 1", None),
    ("session.turn > 1 || 1 / 0 > 1", None),
    ("!(session.turn > 1 && 1 / 0 > 1)", None),
    ("session.turn > 1 ? 1 / 0 > 1 : true", None),
    ("order.items.exists(i, 1 / 0 > 1)", None),
    ("order.items[0].quantity > 1", None),
    ("order.items.all(i, [1][i.quantity] > 1)", None),
]


@each_of(CONSTANT)
def test_what_a_session_can_have(text: str, value: bool | None) -> None:
    found = check_expression(text)
    assert (found.problems, found.constant) == ((), value)


@each_of(FAILING)
def test_what_always_fails(text: str, part: str | None) -> None:
    found = check_expression(text)
    assert found.problems == ()
    assert (text[slice(*found.failing)] if found.failing else None) == part


ORDER_SCHEMA = cel.build_schema(
    {"Order": {"name": "string", "items": "list(string)", "notes": "map(string, string)", "count": "int"}},
    {"order": "Order"},
)

LARGE = [
    "[order.name]" + ".map(a, a + a)" * 9 + " != []",
    "['a']" + ".map(a, a + a)" * 25 + " != []",
    "[1, 2]" + ".map(a, [a, a])" * 9 + " != []",
    "cel.bind(a, order.name, "
    + "".join(f"cel.bind({b}, {a} + {a}, " for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    + "j.size() > 0"
    + ")" * 10,
    "order.name" + ".replace('a', 'aaaaaaaa')" * 3 + " != ''",
    "order.name" + ".split('').join('aaaaaaaa')" * 3 + " != ''",
    "order.items.join(order.items.join(order.name)) != ''",
    "order.name.replace(order.name, order.notes['a'].replace('a', order.name)) != ''",
    "lists.range(1000000000).size() > 0",
    "lists.range(order.count).size() > 0",
    "order.notes" + ".transformMap(k, v, v + v)" * 9 + " != {}",
]
SMALL = [
    "order.items.map(a, a + a).join(', ') != ''",
    "order.items.all(a, order.items.all(b, order.items.exists(c, c == a + b)))",
    "order.name.replace('_', '-').replace(' ', '').lowerAscii() != ''",
    "'%s: %s'.format([order.name, order.items.join('; ')]) != ''",
    "lists.range(order.items.size() - 1).all(i, order.items[i] < order.items[i + 1])",
    "lists.range(10).exists(i, order.count == i)",
    "order.name in ['" + "', '".join("abcdefghij" * 50) + "']",
    " && ".join(["order.name + order.name != ''"] * 60),
]


def tree(text: str) -> cel.Node:
    found = cel.check_expression(text, schema=ORDER_SCHEMA)
    assert found.problems == ()
    assert found.tree is not None
    return found.tree


@each_of(LARGE)
def test_what_may_become_large_is_found(text: str) -> None:
    assert find_oversized(tree(text)) is not None


@each_of(SMALL)
def test_what_stays_small_is_let_be(text: str) -> None:
    assert find_oversized(tree(text)) is None


def test_the_innermost_part_is_told() -> None:
    text = "order.items != [] && lists.range(order.count).size() > 0"
    found = find_oversized(tree(text))
    assert found is not None
    assert text[found.start : found.end] == "lists.range(order.count)"


def test_a_condition_that_would_fill_the_memory_is_not_evaluated() -> None:
    assert cel.check_expression("lists.range(10).size() > 0").constant is True
    assert cel.check_expression("lists.range(9223372036854775807).size() > 0").constant is None
