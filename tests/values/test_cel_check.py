"""What checking a condition says: every mistake, at its exact characters."""

import pytest

from tests.cases import each_of
from trialrun.values.cel import build_schema, check_expression
from trialrun.values.cel.syntax_tree import walk

# condition · [(code, the exact characters, a piece of the message, replacement)]
SYNTAX = [
    ("session.turn = 3", [("syntax", "=", "write ==", "==")]),
    ("session.turn === 3", [("syntax", "===", "write ==", "==")]),
    ("session.turn !== 3", [("syntax", "!==", "write !=", "!=")]),
    ("session.turn <> 3", [("syntax", "<>", "write !=", "!=")]),
    ("session.turn >= 1 and session.turn < 3", [("syntax", "and", "write &&", "&&")]),
    ("session.turn >= 1 AND session.turn < 3", [("syntax", "AND", "write &&", "&&")]),
    ("session.turn == 1 or session.turn == 3", [("syntax", "or", "write ||", "||")]),
    ("session.turn == 1 & session.turn == 3", [("syntax", "&", "write &&", "&&")]),
    ("session.turn == 1 | session.turn == 3", [("syntax", "|", "write ||", "||")]),
    ("not has(session.metadata.promo)", [("syntax", "not", "write !", "!")]),
    ("not (session.turn == 1)", [("syntax", "not", "write !", "!")]),
    ("order.items.length > 2", [("syntax", "length", "write .size()", "size()")]),
    ("session.store.length > 2", [("syntax", "length", "write .size()", "size()")]),
    ("order.items.size > 2", [("syntax", "size", "write .size()", "size()")]),
    ("order.items.length() > 2", [("syntax", "length", "write size()", "size")]),
    ("len(order.items) > 2", [("syntax", "len", "write size()", "size")]),
    ('session.store == "a', [("syntax", '"', "is not closed", None)]),
    ("session.store == 'a", [("syntax", "'", "is not closed", None)]),
    ("session.turn in [1, 2", [("syntax", "[", "is not closed", None)]),
    ("order.items.exists(i, i.quantity > 1", [("syntax", "(", "is not closed", None)]),
    ("session.turn == 1)", [("syntax", ")", "closes nothing", None)]),
    ("session.turn in [1, 2)", [("syntax", ")", 'does not close "["', "]")]),
    ("order.subtotal >", [("syntax", ">", "no value after it", None)]),
    ("1 == 1 && && true", [("syntax", 10, 12, "a value is missing", None)]),
    ("1 == session..turn", [("syntax", 12, 13, "no name after it", None)]),
    ("session.turn == 1;", [("syntax", ";", "remove it", "")]),
    ("session.store == “a”", [("syntax", "“a”", "is not a quote", '"a"')]),
    ('session.store.matches("\\d")', [("syntax", "\\d", "is not an escape", "\\\\d")]),
    ("session.turn in (1, 2)", [("syntax", ",", "write a list in brackets", None)]),
    ("session.turn not in [1]", [("syntax", "not", "write !(a in b)", "!(session.turn in [1])")]),
    ("true == session.turn not in [1]", [("syntax", "not", "write !(a in b)", None)]),
    ("not session.turn > 1", [("syntax", "not", "write !", "!(session.turn > 1)")]),
    ("not 'a' in [session.store]", [("syntax", "not", "write !", "!('a' in [session.store])")]),
    (
        "not session.turn = 1 and session.trn > 2",
        [
            ("syntax", "not", "write !", "!(session.turn == 1)"),
            ("syntax", "=", "write ==", "=="),
            ("syntax", "and", "write &&", "&&"),
            ("undeclared", "trn", "Session has no field", "turn"),
        ],
    ),
    ("session.store =~ 'a'", [("syntax", "=~", "write a.matches(b)", None)]),
    ("session.store ?? 'a' == 'a'", [("syntax", "??", "write has(a.b) ? a.b : other", None)]),
    ("session.turn ** 2 > 4", [("syntax", "**", "multiply", None)]),
    ("session.metadata?.promo == 'a'", [("syntax", "?", "write a dot", None)]),
    ("session.turn ! = 3", [("syntax", "! =", "write !=", "!=")]),
    ("session.turn = = 3", [("syntax", "= =", "write ==", "==")]),
    ("session.turn > = 3", [("syntax", "> =", "write >=", ">=")]),
    ("session.turn >== 3", [("syntax", ">==", "write >=", ">=")]),
    ("session.turn := 3", [("syntax", ":=", "write ==", "==")]),
    ("session.turn += 3", [("syntax", "+=", "write ==", "==")]),
    ("true & & false", [("syntax", "& &", "write &&", "&&")]),
    ("true &&& false", [("syntax", "&&&", "write &&", "&&")]),
    ("true ||| false", [("syntax", "|||", "write ||", "||")]),
    ("session.turn is not 3", [("syntax", "is not", "write !=", "!=")]),
    ("session->turn == 3", [("syntax", "->", "write a dot", ".")]),
    ("order.items.exists(i => i.quantity > 1)", [("syntax", "=>", "write a comma", ",")]),
    ("order.items.exists(i -> i.quantity > 1)", [("syntax", "->", "write a comma", ",")]),
    ("$session.turn == 3", [("syntax", "$", "not a character of CEL", None)]),
    ("session.turn == @x", [("syntax", "@", "not a character of CEL", None)]),
    ("if session.turn == 1 then true", [("syntax", "if", "reserved word", None)]),
    ("order.subtotal > 1,5", [("syntax", ",", "a point", None)]),
    ("session.store contains 'a'", [("syntax", "contains", "written a.f(b)", None)]),
    ("if == 1", [("syntax", "if", "reserved word", None)]),
    ("session.turn == 99999999999999999999", [("syntax", "99999999999999999999", "64-bit range", None)]),
    ("session.turn # 1", [("syntax", "#", "not a character of CEL", None)]),
    ("session.store == '\ud800'", [("syntax", "\ud800", "surrogate", None)]),
    ("", [("syntax", 0, 0, "is empty", None)]),
    ("  ", [("syntax", "  ", "is empty", None)]),
    ("session.turn ? true", [("syntax", "?", 'no ":" after it', None)]),
    ("{'a'}['a'] == 1", [("syntax", "}", '":" is missing', None)]),
    (
        "session.turn = 1 && session.trun == 2",
        [("syntax", 13, 14, "write ==", "=="), ("undeclared", "trun", "Session has no field", "turn")],
    ),
    (
        "session.turn = 1 and session.trun = 2",
        [
            ("syntax", 13, 14, "write ==", "=="),
            ("syntax", "and", "write &&", "&&"),
            ("undeclared", "trun", "Session has no field", "turn"),
            ("syntax", 34, 35, "write ==", "=="),
        ],
    ),
]

TWICE_WRONG = [
    (
        "session.turn = 'x' & session.trn > 2",
        [
            ("syntax", 13, 14, "write ==", "=="),
            ("type", 13, 14, "cannot compare int with string", None),
            ("syntax", "&", "write &&", "&&"),
            ("undeclared", "trn", "Session has no field", "turn"),
        ],
    ),
    ("session.turn & session.upsellOffers > 1", [("syntax", "&", "write &&", "&&")]),
]

# a bracket can be put right in many ways, so only what has one clear correction is told besides
BRACKETS = [
    (
        "(order.itms.size() > 2 && session.turn == 'x'",
        [("syntax", 0, 1, "is not closed", None), ("undeclared", "itms", "Order has no field", "items")],
    ),
    (
        "(session.turn == 1 && order.items.exists(i, i.uidd == 'x'",
        [("syntax", 40, 41, "is not closed", None), ("undeclared", "uidd", "Item has no field", "uid")],
    ),
    (
        "session.trn == 1)",
        [("undeclared", "trn", "Session has no field", "turn"), ("syntax", ")", "closes nothing", None)],
    ),
    ("order.items[0.quantity > 1", [("syntax", "[", "is not closed", None)]),
    ("[1, 2, session.turn", [("syntax", "[", "is not closed", None)]),
]

TYPES = [
    ("  order.subtotal // a number\n", [("type", "order.subtotal", "gives double, not bool", None)]),
    ("order.subtotal", [("type", "order.subtotal", "gives double, not bool", None)]),
    ('"a" + 1 == "a1"', [("type", "+", "cannot combine string with int", None)]),
    ('size(order.items) > "3"', [("type", ">", "cannot compare int with string", None)]),
    ("session.turn * 1.5 > 2", [("type", "*", "cannot combine int with double", None)]),
    ("session.startTime > '2027-01-01'", [("type", ">", "write timestamp('…')", None)]),
    ("session.turn && true", [("type", "&&", "not with int", None)]),
    (
        "session.turn == 1 && session.store && order.subtotal",
        [("type", 18, 20, "not with string", None), ("type", 35, 37, "not with double", None)],
    ),
    ("order.nope + 1 > 2", [("undeclared", "nope", "Order has no field", None)]),
    ("true && true && session.turn", [("type", 13, 15, "not with int", None)]),
    ("!session.turn", [("type", "!", "needs a bool, not int", None)]),
    ("session.turn ? true : false", [("type", "session.turn", "is int, not bool", None)]),
    ("true ? 1 : 'a'", [("type", "?", "int and string", None)]),
    ("order.items.exists(i, i.uid)", [("type", "i.uid", "is string, not bool", None)]),
    ("session.store.exists(i, true)", [("type", "exists", "a list or a map, not string", None)]),
    ("order.items.exists(i)", [("type", "exists", "list.exists(x, …)", None)]),
    ("order.items['a'] == null", [("type", "[", "not read by string", None)]),
    ("order.items['a'] == null", [("type", "[", "write a number, as in [0]", None)]),
    ("{'a': 1}[2] == 1", [("type", "[", "write a key of type string", None)]),
    ("order['subtotal'] == 1.0", [("type", "[", "read a field with .name", None)]),
    ("session.turn[0] == 1", [("type", "[", "only lists and maps can be indexed", None)]),
    ("session.turn in order.items", [("type", "in", "cannot look for int", None)]),
    ("session.store.contains(1)", [("type", "contains", "does not take (string, int)", None)]),
    ("startsWith(session.store, 'a')", [("type", "startsWith", "write a.startsWith(…)", None)]),
    ("has(order)", [("type", "order", "write has(a.b)", None)]),
    ("order.items == null", [("type", "==", "has(a.b)", None)]),
    ('session.store.matches("[a-")', [("type", '"[a-"', "missing ]", None)]),
    ("timestamp('not a time') < session.startTime", [("type", "'not a time'", "is not a timestamp", None)]),
    ("duration('1x') == duration('1s')", [("type", "'1x'", "is not a duration", None)]),
    ("session.startTime.getHours('Mars/X') == 1", [("type", "'Mars/X'", "is not a time zone", None)]),
]

UNDECLARED = [
    ("1 < session.turn <= 3", [("type", "<=", "cannot compare bool with int; write a < b && b <= c", None)]),
    ("(1 < session.turn) == 'true'", [("type", "==", "cannot compare bool with string; make both one type", None)]),
    ("session.turn == 1 || True", [("undeclared", "True", "write true", "true")]),
    ("session.store == None", [("undeclared", "None", "write null", "null")]),
    ("session.metadata.get('promo') == 'a'", [("undeclared", "get", "CEL has no get(); write a[key]", None)]),
    ("order.items.isEmpty()", [("undeclared", "isEmpty", "write a.size() == 0", None)]),
    ("order.itms.size() > 2", [("undeclared", "itms", 'Order has no field "itms"', "items")]),
    ("sesion.channelType == 'web'", [("undeclared", "sesion", 'there is no "sesion"', "session")]),
    ("sesion.a.b == 'web'", [("undeclared", "sesion", 'there is no "sesion"', "session")]),
    ("order.items.exists(i, i.quanttiy > 1)", [("undeclared", "quanttiy", "Item has no field", "quantity")]),
    ("order.items[0].uidd == 'a'", [("undeclared", "uidd", "Item has no field", "uid")]),
    ("order.items.exists(item, itm.uid == 'a')", [("undeclared", "itm", 'there is no "itm"', "item")]),
    ("order.items.exists(i, i.name == 'a')", [("undeclared", "name", "Item has no field", "displayName")]),
    ("session.channel == 'a'", [("undeclared", "channel", "Session has no field", "channelType")]),
    ("order.items.sum(i, i.quantity) > 3", [("undeclared", "sum", "no function sum()", None)]),
    ("order.items.exists(i.quantity > 1)", [("type", "exists", "not called with 1 argument", None)]),
    (
        "sesion.turn == 1 && session.store.matches('[a-')",
        [("undeclared", "sesion", 'there is no "sesion"', "session"), ("type", "'[a-'", "missing ]", None)],
    ),
    ("has(session.languagecode)", [("undeclared", "languagecode", "has no field", "languageCode")]),
    ("session.store.startWith('a')", [("undeclared", "startWith", "no function startWith()", "startsWith")]),
    ("session.store.toLowerCase() == 'a'", [("undeclared", "toLowerCase", "no function", "lowerAscii")]),
    ("order.items.some(i, i.quantity > 1)", [("undeclared", "some", "no function some()", "exists")]),
    ("frobnicate(order)", [("undeclared", "frobnicate", "no function frobnicate()", None)]),
    ("math.greates(1, 2) == 2", [("undeclared", "greates", "math.greates()", "greatest")]),
    ("session.store.nope == 'a'", [("undeclared", "nope", 'string has no field "nope"', None)]),
    ("order.nope.more == 1", [("undeclared", "nope", "Order has no field", None)]),
    (
        "order.x == 1 || session.y == 2 && order.items.all(i, i.z)",
        [
            ("undeclared", 6, 7, "Order has no field", None),
            ("undeclared", 24, 25, "Session has no field", None),
            ("undeclared", 55, 56, "Item has no field", None),
        ],
    ),
    (
        "'😀' == order.nope && \r\n session.nope == 1",
        [("undeclared", 13, 17, "Order has no field", None), ("undeclared", 32, 36, "Session has no field", None)],
    ),
]


@each_of(SYNTAX + TWICE_WRONG + BRACKETS + TYPES + UNDECLARED)
def test_problems(condition: str, expected: list[tuple[object, ...]]) -> None:
    found = check_expression(condition).problems
    assert [(each.code, each.start, each.end, each.replacement) for each in found] == [
        (code, *_place(condition, *place), replacement) for code, *place, _, replacement in expected
    ]
    for problem, (*_, message, _) in zip(found, expected, strict=True):
        assert str(message) in problem.message


def _place(condition: str, *place: object) -> tuple[object, ...]:
    if len(place) == 2:
        return place
    (token,) = place
    assert condition.count(str(token)) == 1 or condition.isspace()
    start = condition.index(str(token))
    return start, start + len(str(token))


@each_of(
    [
        "order.subtotal > 10",
        "order.subtotal == 10",
        "session.turn < 2.5",
        "session.turn != 2.5",
        "order.items.exists(i, i.displayName == 'Burger') && session.channelType == 'drive_thru'",
        "order.items.filter(i, i.quantity > 1).size() >= 2 // a comment",
        "session.startTime > timestamp('2027-01-31T12:00:00Z')",
        "session.startTime.getHours('America/New_York') < 11",
        "session.store.matches(r'^\\d+$')",
        "session.metadata.exists(key, key.startsWith('promo'))",
        "math.greatest(session.turn, 2) == 2",
        "cel.bind(x, order.subtotal, x > 1 && x < 2)",
        "!!has(session.metadata.promo)",
        "session . turn\r\n == 3",
        "lists.range(order.items.size() - 1).size() > 0 || lists.range(-1).size() > 0",
    ]
)
def test_sound_conditions(condition: str) -> None:
    assert check_expression(condition).problems == ()


TOO_LARGE = [
    "(" * 40 + "true" + ")" * 40,
    "+".join(["1"] * 40) + " == 40",
    "order" + ".x" * 40,
    "true ? true : " * 40 + "true",
    "(" * 50_000,
    "session.turn == 1 && " * 6_000 + "true",
    "x" * 100_001,
]


@pytest.mark.parametrize("condition", TOO_LARGE, ids=range(len(TOO_LARGE)))
def test_what_is_too_deep_or_too_large_is_unchecked_and_not_wrong(condition: str) -> None:
    found = check_expression(condition)
    assert [(each.code, each.start, each.end) for each in found.problems] == [("unchecked", 0, len(condition))]
    assert found.tree is None


def test_long_chains_are_checked() -> None:
    assert check_expression(" && ".join(["session.turn != 7"] * 2_000)).problems == ()


ALWAYS = [
    ("true", True),
    ("1 == 2", False),
    ("[1, 2].exists(x, x > 1)", True),
    ("session.turn == 1 || true", True),
    ("false && session.turn == 1", False),
    ("!(session.turn == 1 || true)", False),
    ("(1 < 2) ? false : session.turn == 1", False),
    ("session.turn == 1 && session.turn == 2", False),
    ("session.store != 'a' || session.store != 'b'", True),
    ("session.turn > 5 && 3 > session.turn", False),
    ("session.turn < 5 || session.turn >= 5", True),
    ("order.items.size() >= 0", True),
    ("size(order.items) < 0", False),
    ("order.items.exists(i, i.uid == 'a' && i.uid == 'b')", False),
    ("session.turn == session . turn", True),
    ("session.turn < session.turn", False),
    ("order.subtotal > order.subtotal", False),
    ("has(session.metadata.a) || !has(session.metadata.a)", True),
    ("session.turn > 1 && session.store == 'a' && !(session.turn > 1)", False),
    ("'a' in session.metadata && !('a' in session.metadata)", False),
]
SOMETIMES = [
    "session.turn == 1",
    "session.turn == 1 || session.turn == 2",
    "session.turn >= 5 && session.turn <= 5",
    "order.subtotal == order.subtotal",
    "session.metadata.a == session.metadata.a",
    "session.metadata.a == 'x' || !(session.metadata.a == 'x')",
    "session.turn - 1 == 1 - session.turn",
    "order.subtotal < 5 || order.subtotal >= 5",
    "!(session.metadata.a == 'x' && session.metadata.a == 'y')",
    "session.metadata.a != 'x' || session.metadata.a != 'y'",
    "order.items[0].uid == 'a' && order.items[0].uid == 'b'",
    "session.turn == 1 && session.upsellOffers == 2",
    "1 / 0 == 1",
    "lists.range(-1).size() == 0",
    "order.items.exists(i, true)",
    "order.items.all(i, false)",
]


@each_of([*ALWAYS, *((each, None) for each in SOMETIMES)])
def test_constant(condition: str, value: bool | None) -> None:
    found = check_expression(condition)
    assert found.problems == ()
    assert found.constant is value


EQUAL = [
    ("session.turn==1", "  session . turn == ( 1 )  // one"),
    ("session.store == 'a'", 'session.store == "a"'),
    ("session.store == 'a'", "session.store == r'\\x61'.replace(r'\\x61', 'a')", False),
    ("session.store == 'a'", "session.store == '\\x61'"),
    ("(true && false) && true", "true && (false && true)"),
    ("session.turn == 0x10", "session.turn == 16"),
    ("session.turn == 1", "session.turn == 1u", False),
    ("session.turn == 1", "session.turn == 1.0", False),
    ("order.subtotal - 1.0 - 2.0 > 0.0", "order.subtotal - (1.0 - 2.0) > 0.0", False),
    ("true || false && false", "(true || false) && false", False),
    ("session.metadata.a == 'x'", "session.metadata.b == 'x'", False),
    ("session.store == 'a b'", "session.store == 'ab'", False),
    ("!!true", "true"),
]


@pytest.mark.parametrize("pair", EQUAL)
def test_equal_conditions_have_equal_keys(pair: tuple[object, ...]) -> None:
    one, other, *rest = pair
    keys = check_expression(str(one)).key, check_expression(str(other)).key
    assert None not in keys
    assert (keys[0] == keys[1]) is (rest != [False])


OPTIONAL = [
    ("session.metadata.promo == 'x'", ["promo"]),
    ("session.metadata['promo'] == 'x'", ["'promo'"]),
    ("session.metadata[session.store] == 'x'", ["session.store"]),
    ("has(session.metadata.promo)", []),
    ("has(session.metadata.promo) && session.metadata.promo == 'x'", []),
    ("has(session.metadata.promo) && session.metadata['promo'] == 'x'", []),
    ("'promo' in session.metadata && session.metadata.promo == 'x'", []),
    ("session.metadata.promo == 'x' && has(session.metadata.promo)", []),
    ("!has(session.metadata.promo) || session.metadata.promo == 'x'", []),
    ("has(session.metadata.promo) || session.metadata.promo == 'x'", ["promo"]),
    ("has(session.metadata.promo) ? session.metadata.promo == 'x' : session.metadata.b == 'x'", ["b"]),
    ("(has(session.metadata.a) || has(session.metadata.b)) && session.metadata.a == 'x'", ["a"]),
    ("!(!has(session.metadata.a) && !has(order.metadata.a)) && order.metadata.a == 'x'", ["a"]),
    ("has(session.metadata.other) && session.metadata.promo == 'x'", ["promo"]),
    ("has(order.metadata.promo) && session.metadata.promo == 'x'", ["promo"]),
    ("session.metadata.exists(key, session.metadata[key] == 'x')", []),
    ("session.metadata.promo == 'x' || session.metadata.promo == 'y'", ["promo"]),
    ("order.items[0].uid == 'x' && {'a': 1}['a'] == 1", []),
    ("session.metadata[?'promo'].orValue('x') == 'x'", []),
]


@each_of(OPTIONAL)
def test_optional_reads(condition: str, names: list[str]) -> None:
    found = check_expression(condition)
    assert found.problems == ()
    assert [condition[each.start : each.end] for each in found.optional_reads] == names


OWN = build_schema(
    {"Guest": {"tier": "enum(gold, silver)", "points": "int?", "visits": "list(Visit)"}, "Visit": {"lane": "string?"}},
    {"guest": "Guest", "hours": "map(string, list(int))"},
)


@each_of(
    [
        ("guest.tier == 'glod'", "enum", "'glod'", "'gold'"),
        ("'glod' != guest.tier", "enum", "'glod'", "'gold'"),
        ("guest.tier in ['gold', 'bronze']", "enum", "'bronze'", None),
        ("guest.visits.all(v, v.lane == 'a') || guest.tier == 'glod'", "enum", "'glod'", "'gold'"),
        ("guest.teir == 'gold'", "undeclared", "teir", "tier"),
        ("guest.visits.exists(v, v.laen == 'a')", "undeclared", "laen", "lane"),
        ("hours['mon'][0] == 'a'", "type", "==", None),
    ]
)
def test_a_schema_of_ones_own(condition: str, code: str, token: str, replacement: str | None) -> None:
    (found,) = check_expression(condition, schema=OWN).problems
    assert (found.code, condition[found.start : found.end], found.replacement) == (code, token, replacement)


def test_a_refused_condition_keeps_its_misspelt_members() -> None:
    found = check_expression("guest.tier == 'glod' && gest.points > 1", schema=OWN).problems
    assert [(each.code, each.replacement) for each in found] == [("enum", "'gold'"), ("undeclared", "guest")]


def test_what_a_replacement_reaches_over() -> None:
    (found,) = check_expression("true && not session.turn > 1").problems
    assert (found.start, found.end, found.replaced_range) == (8, 11, (8, 28))


def test_a_chain_of_words_that_is_too_deep_is_told_as_far_as_it_is_read() -> None:
    assert {each.code for each in check_expression("not " * 3_000 + "true").problems} == {"syntax"}


@each_of(
    [
        ("guest.points > 1", ["points"]),
        ("has(guest.points) && guest.points > 1", []),
        ("guest.visits.all(v, v.lane == 'a')", ["lane"]),
        ("guest.visits.all(v, !has(v.lane) || v.lane == 'a')", []),
    ]
)
def test_fields_that_may_be_absent(condition: str, names: list[str]) -> None:
    found = check_expression(condition, schema=OWN)
    assert found.problems == ()
    assert [condition[each.start : each.end] for each in found.optional_reads] == names


def test_a_result_of_another_type() -> None:
    assert check_expression("session.turn + 1", result="int").problems == ()
    assert check_expression("session.turn", result="dyn").type == "int"
    assert [each.message for each in check_expression("1", result="string").problems] == [
        "the condition gives int, not string; make it string"
    ]


def test_the_tree_has_types_and_places() -> None:
    tree = check_expression("( order.subtotal ) > 1 && true").tree
    assert tree is not None
    comparison = tree.children[0]
    assert (comparison.name, comparison.start, comparison.end, comparison.type) == (">", 0, 22, "bool")
    read = comparison.children[0]
    assert (read.kind, read.name, read.start, read.end, read.name_start, read.type) == (
        "select", "subtotal", 0, 18, 8, "double",
    )  # fmt: skip


def test_types_far_into_a_long_condition() -> None:
    condition = "session.turn != 7 && " * 40 + "order.subtotal > 1"
    tree = check_expression(condition).tree
    assert tree is not None
    assert [each.type for each in tree.children[-1].children] == ["double", "int"]
    assert condition[tree.children[-1].start :] == "order.subtotal > 1"


@each_of(
    [
        ("2026-12-01t00:00:00z", "'2026-12-01T00:00:00Z'"),
        ("2026-12-01 00:00:00Z", "'2026-12-01T00:00:00Z'"),
        ("2026-12-01T00:00:00+0100", "'2026-11-30T23:00:00Z'"),
        ("2026-12-01T00:00:00.1234567890Z", "'2026-12-01T00:00:00.123456789Z'"),
        ("2026-12-01T00:00:00.1234567891Z", None),
        ("2016-12-31T23:59:60Z", None),
        ("0001-01-01T00:00:00+01:00", None),
        ("2026-12-01", None),
    ]
)
def test_timestamps_are_held_to_the_rules_of_those_in_fields(written: str, meant: str | None) -> None:
    condition = f"session.startTime > timestamp('{written}')"
    (problem,) = check_expression(condition).problems
    assert (condition[problem.start : problem.end], problem.replacement) == (f"'{written}'", meant)


@each_of(
    [
        "session.turn > 1 && order.subtotal > 2.0 || session.store == 'a'",
        "(session.turn > 1 || has(session.metadata.a)) && !(order.items.size() > 1 || false)",
        'true && order.items.exists(i, i.quantity > 1 && i.displayName == "a || b")',
        "[true && false, true].size() > 1 && '&&' != session.store",
        "session.turn > 1 ? true && true : order.subtotal > 1.0",
        "\"'\" != session.store && session.store != '\"' || '\\\\'&&' == session.store",
        "'''&& true''' == session.store || true",
        "session.turn > 1\u00a0&& true",
        "session.turn && order.subtotal > 1.0",
        "true && session.metadata['a'] || {'a': session.turn}['a'] > 1",
        "[][0]",
        "true && session.turn > 1) || (true",
        f"{'[' * 30}{']' * 30} == [] && true || true && true",
        f"{'true && (true || ' * 14}{'-(' * 15}1{')' * 15} > 1{')' * 14} || true",
        " || ".join(["true"] * 16 + [" && ".join(["true"] * 16 + [f"{'[' * 26}{']' * 26} == []"])]),
        " && ".join(["optional.of(true).optMap(a, a)"] * 3 + ["true"]),
        " || true && ".join(["[1]" + ".map(a, true, [a])" * 5 + " == []"] * 8),
    ]
)
def test_operands_have_the_types_and_problems_that_they_have_in_the_whole(text: str) -> None:
    whole, split = (check_expression(written) for written in (f"{text} // whole", text))
    said, meant = ([(one.code, one.start, one.message) for one in each.problems] for each in (split, whole))
    assert said == meant
    assert [node.type for node in walk(split.tree)] == [node.type for node in walk(whole.tree)] if split.tree else True
