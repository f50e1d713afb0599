"""Session schemas: what is declared, and what is wrong with a declaration."""

import pytest
from google.protobuf import descriptor_pb2

from tests.cases import each_of
from trialrun.values.cel import DEFAULT_SCHEMA, SchemaError, build_schema, check_expression, schema_errors
from trialrun.values.cel.environment import file_bytes

WRONG = [
    ({}, {"a": "strng"}, ("variables", "a"), 0, 5, 'did you mean "string"?'),
    ({"Order": {"items": "list(Itm)"}, "Item": {}}, {}, ("types", "Order", "items"), 5, 8, 'did you mean "Item"?'),
    ({}, {"a": "list(int"}, ("variables", "a"), 8, 8, '")" is missing'),
    ({}, {"a": "map(string)"}, ("variables", "a"), 10, 11, '"," is missing'),
    ({}, {"a": "map(double, int)"}, ("variables", "a"), 4, 10, "the keys of a map are"),
    ({}, {"a": "int int"}, ("variables", "a"), 4, 7, "follows a type"),
    ({}, {"a": "int??"}, ("variables", "a"), 4, 5, "follows a type"),
    ({}, {"a": ""}, ("variables", "a"), 0, 0, "a name is missing"),
    ({}, {"a": "enum()"}, ("variables", "a"), 5, 6, "a name is missing"),
    ({}, {"a": "enum(a-)"}, ("variables", "a"), 7, 8, "a name is missing"),
    ({}, {"a": "enum(a -b)"}, ("variables", "a"), 7, 8, '")" is missing'),
    ({}, {"a-b": "int"}, ("variables", "a-b"), 0, 3, "is not a name"),
    ({}, {"in": "int"}, ("variables", "in"), 0, 2, "a reserved word of CEL"),
    ({}, {"list": "int"}, ("variables", "list"), 0, 4, "a reserved word of CEL"),
    ({"int": {}}, {}, ("types", "int"), 0, 3, "is already a type"),
    ({}, {"a": "list(" * 20 + "int" + ")" * 20}, ("variables", "a"), 80, 84, "nest deeper"),
]


@each_of(WRONG)
def test_what_is_wrong_with_a_schema(
    types: dict[str, dict[str, str]],
    variables: dict[str, str],
    path: tuple[str, ...],
    start: int,
    end: int,
    message: str,
) -> None:
    with pytest.raises(SchemaError) as raised:
        build_schema(types, variables)
    assert (raised.value.path, raised.value.start, raised.value.end) == (path, start, end)
    assert message in raised.value.message


def test_every_error_of_a_schema_is_told() -> None:
    errors = schema_errors({"A": {"b": "nope"}}, {"c": "A", "d": "nor"})
    assert [each.path for each in errors] == [("types", "A", "b"), ("variables", "d")]


def test_members_of_an_enumeration_may_have_hyphens() -> None:
    lanes = build_schema({}, {"lane": "enum(drive-thru, kiosk)"})
    assert [each.code for each in check_expression("lane == 'drive-thru'", schema=lanes).problems] == []
    assert [each.code for each in check_expression("lane == 'drive'", schema=lanes).problems] == ["enum"]


def test_equal_schemas_are_equal() -> None:
    one, other = (build_schema({"A": {"b": "int"}}, {"a": "A"}) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != build_schema({"A": {"b": "uint"}}, {"a": "A"})


RICH = build_schema(
    {
        "T": {
            "foo_bar": "map(string, int)",
            "fooBar": "map(string, list(int))",
            "rows": "list(list(int))",
            "maps": "list(map(string, int))",
            "text": "string?",
            "one": "enum(a, b)?",
            "any": "dyn",
            "next": "T?",
            "when": "timestamp?",
            "raw": "bytes",
            "by": "map(uint, T)",
        }
    },
    {"t": "T", "n": "int?", "rows": "list(map(string, T))", "o": "string?", "long": "duration"},
)


@each_of(
    [
        "t.foo_bar.x == 1", "t.fooBar.x[0] == 1", "t.rows[0][0] == 1", "t.maps[0].x == 1",
        "t.text == null || t.text == 'a'", "t.one == 'a'", "t.any.thing[0] == 1", "t.next.next.raw == b'a'",
        "t.when > timestamp('2027-01-01T00:00:00Z')", "t.by[1u].text == 'a'", "n == null || n > 1.5",
        "rows[0].a.raw == b'a'", "o != null && o.startsWith('a')", "long > duration('1s')",
    ]
)  # fmt: skip
def test_every_type_is_known_to_the_engine(condition: str) -> None:
    assert check_expression(condition, schema=RICH).problems == ()


@pytest.mark.parametrize("declared", [DEFAULT_SCHEMA, RICH])
def test_the_descriptors_are_what_protobuf_reads(declared: object) -> None:
    file = descriptor_pb2.FileDescriptorProto.FromString(file_bytes(declared))
    names = {message.name: [field.name for field in message.field] for message in file.message_type}
    assert names == {name: list(fields) for name, fields in declared.types.items()}
    assert file.ByteSize() == len(file_bytes(declared))
