"""What a condition uses of the extension libraries of CEL, and which functions are proposed."""

from __future__ import annotations

from tests.cases import each_of
from trialrun.values.cel import EXTENSIONS, check_expression

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
    ],
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


def test_a_function_without_its_brackets_is_proposed_where_it_is_on() -> None:
    text = "session.store.lowerAscii == 'a'"
    assert check_expression(text).problems[0].replacement == "lowerAscii()"
    assert check_expression(text, extensions=STANDARD).problems[0].replacement is None


def test_every_extension_has_a_use_among_the_cases() -> None:
    assert {library for *_, libraries in USES for library in libraries} == set(EXTENSIONS)
