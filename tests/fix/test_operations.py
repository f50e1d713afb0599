"""What each operation of a fix makes of a text, and where it is refused: replace, rename, lift, wrap."""

import pytest

from tests.cases import each_of
from tests.fix.fix_text import mended, rename, replace, wrap
from trialrun.diagnostic import Fix, Lift, Path, SymbolicLocation
from trialrun.fix import Unfixable, resolve_fix
from trialrun.fix.resolve import fixed_text
from trialrun.parser import parse

A: Path = ("a",)
WHOLE: list[tuple[str, Path, object, str]] = [
    ("a: x\n", A, "z", "a: z\n"),
    ("a: x # c\n", A, "z w", "a: z w # c\n"),
    ("a: x\n", A, "no", 'a: "no"\n'),
    ("a: x\n", A, "y", 'a: "y"\n'),
    ("a: x\n", A, "1.5", 'a: "1.5"\n'),
    ("a: x\n", A, "012", 'a: "012"\n'),
    ("a: x\n", A, "12:30", 'a: "12:30"\n'),
    ("a: x\n", A, "2026-01-02", 'a: "2026-01-02"\n'),
    ("a: x\n", A, "", 'a: ""\n'),
    ("a: x\n", A, "null", 'a: "null"\n'),
    ("a: x\n", A, "b: c", 'a: "b: c"\n'),
    ("a: x\n", A, "b:", 'a: "b:"\n'),
    ("a: x\n", A, "b #c", 'a: "b #c"\n'),
    ("a: x\n", A, " b", 'a: " b"\n'),
    ("a: x\n", A, "- b", 'a: "- b"\n'),
    ("a: x\n", A, "*/5 * * * *", 'a: "*/5 * * * *"\n'),
    ("a: x\n", A, "0 3 * * *", "a: 0 3 * * *\n"),
    ("a: x\n", A, 'say "hi"', 'a: say "hi"\n'),
    ("a: x\n", A, '"hi"', "a: '\"hi\"'\n"),
    ("a: x\n", A, "two\nlines", 'a: "two\\nlines"\n'),
    ("a: x\n", A, "p,q", "a: p,q\n"),
    ("[x, y]\n", (0,), "p,q", '["p,q", y]\n'),
    ("[x, y]\n", (0,), "p q", "[p q, y]\n"),
    ("a: 'x'\n", A, "it's", "a: 'it''s'\n"),
    ("a: 'x'\n", A, "p\tq", 'a: "p\\tq"\n'),
    ('a: "x"\n', A, 'q"\\\n🍔', 'a: "q\\"\\\\\\n🍔"\n'),
    ('a: "x"\n', A, "\x85\u2028\ufeff\x00", 'a: "\\u0085\\u2028\\ufeff\\u0000"\n'),
    ("a: |\n  text\nb: 1\n", A, "new", "a: new\nb: 1\n"),
    ("a: >\n  text\n\n  more\nb: 1\n", A, "two\nlines\n", 'a: "two\\nlines\\n"\nb: 1\n'),
    ("a: x\n  y\nb: 1\n", A, "z", "a: z\nb: 1\n"),
    ("a: 3 # c\n", A, 4, "a: 4 # c\n"),
    ("a: 3\t# c\n", A, "4", 'a: "4"\t# c\n'),
    ("a: '3'\n", A, 4, "a: 4\n"),
    ("a: x\n", A, None, "a: null\n"),
    ("a: x\n", A, True, "a: true\n"),
    ("a: x\n", A, 1e20, "a: 1.0e+20\n"),
    ("a: x\n", A, -0.0, "a: -0.0\n"),
    ("a: x\n", A, float("-inf"), "a: -.inf\n"),
    ("a: x\n", A, {}, "a: {}\n"),
    ("a:\n", A, {}, "a: {}\n"),
    ("a: # c\nb: 1\n", A, {}, "a: {} # c\nb: 1\n"),
    ("a: ~\n", A, [], "a: []\n"),
    ("-\n- b\n", (0,), "z", "- z\n- b\n"),
    ("{a: , b: 1}\n", A, 1, "{a: 1, b: 1}\n"),
    ("a: &q x\nb: 1\n", A, "z", "a: &q z\nb: 1\n"),
    ("a: !!str 1\n", A, "2", 'a: !!str "2"\n'),
    ("a: 🍔 # 🍔\r\nb: 1\r\n", A, "🍟", "a: 🍟 # 🍔\r\nb: 1\r\n"),
    ("true\n", (), "x", "x\n"),
]
CHARACTERS: list[tuple[str, str, tuple[int, int], str]] = [
    ("a: hello world\n", "there", (6, 11), "a: hello there\n"),
    ("a: hello world\n", ": x", (5, 11), 'a: "hello: x"\n'),
    ("a: hello world\n", "1", (0, 11), 'a: "1"\n'),
    ("a: hello\n  world\n", "there", (6, 11), "a: hello\n  there\n"),
    ("a: hello\n  world\n", "-", (5, 6), "a: hello-world\n"),
    ("a: 'it''s me'\n", "'", (5, 7), "a: 'it''s '''\n"),
    ("a: 'it''s me'\n", "\n", (4, 5), 'a: "it\'s\\nme"\n'),
    ('a: "tab\\tx"\n', '"\n', (3, 4), 'a: "tab\\"\\nx"\n'),
    ("a: |\n  one two\n  three\n", "2", (4, 7), "a: |\n  one 2\n  three\n"),
    ("a: >-\n  one two\n  three\n", "", (3, 7), "a: >-\n  one\n  three\n"),
    ("a: &q '🍔 x'\n", "y", (2, 3), "a: &q '🍔 y'\n"),
]
JSON: list[tuple[str, object, tuple[int, int] | None, str]] = [
    ('{"a": "x"}', 'y"\n🍔\x7f', None, '{"a": "y\\"\\n🍔\\u007f"}'),
    ('{"a":1}', "2", None, '{"a":"2"}'),
    ('{"a":"1"}', 2, None, '{"a":2}'),
    ('{"a":1}', None, None, '{"a":null}'),
    ('{"a":"\\ud83c\\udf54x"}', "y", (1, 2), '{"a":"\\ud83c\\udf54y"}'),
]
REFUSED: list[tuple[str, Path, object, tuple[int, int] | None, str]] = [
    ("a: {b: 1}\n", A, 2, None, "only a scalar can be replaced"),
    ("a: &q x\nb: *q\n", A, "z", None, "other places would change with it, through an alias"),
    ("a: &q x\nb: *q\n", ("b",), "z", None, "the value is defined elsewhere, at an anchor"),
    ("a: &q {k: x}\nb: *q\n", ("a", "k"), "z", None, "other places would change with it, through an alias"),
    ("a: &q\n  k: x\nb:\n  <<: *q\n", ("a", "k"), "z", None, "other places would change with it, through an alias"),
    ("a: !!str 1\n", A, 2, None, "more would change than intended"),
    ("a: 12\n", A, "3", (0, 1), "characters can only be replaced in text"),
    ("a: |\n  one two\n  three\n", A, "2", (4, 9), "the characters span several lines of a literal or folded block"),
    ("a: |\n  one\n", A, "\t", (0, 1), "a literal or folded block cannot contain the new characters"),
    ("a: >-\n  one two\n  three\n", A, " ", (0, 3), "the rest of the file would change"),
]


@each_of(WHOLE)
def test_whole(before: str, path: Path, value: object, after: str) -> None:
    assert mended(before, replace(path, value)) == after


@each_of(CHARACTERS)
def test_characters(before: str, value: str, chars: tuple[int, int], after: str) -> None:
    assert mended(before, replace(A, value, chars=chars)) == after


@each_of(JSON)
def test_json(before: str, value: object, chars: tuple[int, int] | None, after: str) -> None:
    assert mended(before, replace(A, value, chars=chars), path="a.json") == after


@each_of(REFUSED)
def test_refused(before: str, path: Path, value: object, chars: tuple[int, int] | None, reason: str) -> None:
    assert mended(before, replace(path, value, chars=chars)) == Unfixable(reason)


@each_of(
    [
        ("a: 3\n", None, "0x1F", "a: 0x1F\n"),
        ("a: 3\n", 31, "0x1F", "a: 0x1F\n"),
        ("a: x # c\n", "0 3 * * *", '"0 3 * * *"', 'a: "0 3 * * *" # c\n'),
        ("a: 3\n", 30, "0x1F", Unfixable("more would change than intended")),
        ("a: 3\n", None, "[", Unfixable("the rest of the file would change")),
        ("a: 3\n", None, "3\nb: 1", Unfixable("more would change than intended")),
    ]
)
def test_source_is_written_as_it_stands(before: str, value: object, source: str, after: str | Unfixable) -> None:
    assert mended(before, replace(A, value, source=source)) == after


RENAMED: list[tuple[str, Path, str, tuple[int, int] | None, str]] = [
    ("a: 1 # c\nx: 2\n", ("a",), "b", None, "b: 1 # c\nx: 2\n"),
    ("a:\r\n  max_items: 1\r\n", ("a", "max_items"), "maxItems", None, "a:\r\n  maxItems: 1\r\n"),
    ("'a': 1\n", ("a",), "it's", None, "'it''s': 1\n"),
    ('"a": 1\n', ("a",), 'x"y', None, '"x\\"y": 1\n'),
    ("a: 1\n", ("a",), "no", None, '"no": 1\n'),
    ("a: 1\n", ("a",), "12", None, '"12": 1\n'),
    ("a: 1\n", ("a",), "b: c", None, '"b: c": 1\n'),
    ("a: 1\n", ("a",), "<<", None, '"<<": 1\n'),
    ("a: 1\n", ("a",), "", None, '"": 1\n'),
    ("a: 1\n", ("a",), "system.example.com/team", None, "system.example.com/team: 1\n"),
    ("{a: 1}\n", ("a",), "b,c", None, '{"b,c": 1}\n'),
    ("{a: 1, x: 2}\n", ("a",), "bc", None, "{bc: 1, x: 2}\n"),
    ("- a: {x: 1}\n", (0, "a", "x"), "y1", None, "- a: {y1: 1}\n"),
    ("Team: x\n", ("Team",), "t", (0, 1), "team: x\n"),
    ("'Te''am': x\n", ("Te'am",), "t", (0, 1), "'te''am': x\n"),
    ("ab: 1\n", ("ab",), "1", (0, 2), '"1": 1\n'),
    ("ab: 1\n", ("ab",), "# ", (1, 1), "a# b: 1\n"),
    ("ab: 1\n", ("ab",), " #", (1, 1), '"a #b": 1\n'),
    ("? a\n: 1\n", ("a",), "b", None, "? b\n: 1\n"),
    ("&k a: 1\n", ("a",), "b", None, "&k b: 1\n"),
    ("x: &x 1\na: *x\n", ("a",), "b", None, "x: &x 1\nb: *x\n"),
]
REFUSED_RENAMES: list[tuple[str, Path, str, str]] = [
    ("a: 1\nb: 2\n", ("a",), "b", 'the key "b" already exists'),
    ("a: 1\na: 2\n", ("a",), "b", "more would change than intended"),
    ('"\\x61": 1\na: 2\n', ("a",), "b", "more would change than intended"),
    ("<<: {a: 1}\na: 2\n", ("a",), "b", "more would change than intended"),
    ("- a: 1\n", (0,), "b", "an item of a list has no key to rename"),
    ("a: 1\n", (), "b", "an item of a list has no key to rename"),
    ("x: &x {a: 1}\ny:\n  <<: *x\n  b: 1\n", ("y", "a"), "c", "the key is defined elsewhere, at an anchor"),
    ("x: &x {a: 1}\ny: *x\n", ("x", "a"), "c", "other places would change with it, through an alias"),
    ("x: &x {a: 1}\ny:\n  <<: *x\n  a: 2\n", ("y", "a"), "c", "other places would change with it, through an alias"),
]


@each_of(RENAMED)
def test_rename_in_yaml(before: str, path: Path, key: str, chars: tuple[int, int] | None, after: str) -> None:
    assert mended(before, rename(path, key, chars)) == after


@each_of(REFUSED_RENAMES)
def test_refused_rename(before: str, path: Path, key: str, reason: str) -> None:
    assert mended(before, rename(path, key)) == Unfixable(reason)


def test_rename_in_json() -> None:
    assert mended('{"a":1,"x":2}', rename(("a",), 'b"'), path="a.json") == '{"b\\"":1,"x":2}'


def test_repeated_key_in_json() -> None:
    refused = Unfixable("more would change than intended")
    assert mended('{"a":1,"a":2,"x":3}', rename(("a",), "b"), path="a.json") == refused


def lifted(text: str, *path: str | int, name: str = "file.yaml") -> str | None:
    tree = parse(text.encode(), name)
    steps: Path = path
    fix = resolve_fix(
        Fix("lift", (Lift(SymbolicLocation(None, steps)),)),
        source=tree.source,
        document=tree.documents[0],
        find_path=lambda place: place.path,
    )
    return None if isinstance(fix, Unfixable) else fixed_text(tree.source, [fix])


@each_of(
    [
        ("a:\n  b: 1\n  c: 2\n", ("a",), "b: 1\nc: 2\n"),
        ("x: 1\na:  # why\n    # more\n    b: |\n      text\n\n      end\n    c: 2\ny: 2\n", ("a",),
         "x: 1\n# why\n# more\nb: |\n  text\n\n  end\nc: 2\ny: 2\n"),
        ("- a:\n    b: 1\n    c: 2\n- 5\n", (0, "a"), "- b: 1\n  c: 2\n- 5\n"),
        ("a: {b: {c: 1}}\n", ("a",), "b: {c: 1}\n"),
        ("a: {b: 1, c: 2}\n", ("a",), None),
        ("x: {a: {b: 1, c: 2}, d: 3}\n", ("x", "a"), "x: {b: 1, c: 2, d: 3}\n"),
        ("a:\n- b: 1\n- c\n", ("a",), "- b: 1\n- c\n"),
        ("a:\n  - b: 1\n  - c\n", ("a",), "- b: 1\n- c\n"),
        ("x: 1\na:\n- b\n", ("a",), None),
        ("a:\n  b: 1\nb: 2\n", ("a",), None),
        ("a: &x\n  b: 1\n", ("a",), None),
        ("a: {}\n", ("a",), None),
        ("a: 1\n", ("a",), None),
        ('a:\n  b: "one\n    two"\n', ("a",), 'b: "one\n  two"\n'),
    ],
)  # fmt: skip
def test_what_stands_below_takes_the_place_of_the_key(text: str, path: Path, result: str | None) -> None:
    assert lifted(text, *path) == result


def test_json_is_lifted_with_its_indentation() -> None:
    text = '{\n  "a": {\n    "b": 1,\n    "c": [\n      2\n    ]\n  }\n}\n'
    assert lifted(text, "a", name="file.json") == '{\n  "b": 1,\n  "c": [\n    2\n  ]\n}\n'
    assert lifted('{"a": [1, 2]}', "a", name="file.json") == "[1, 2]"


WRAPPED: list[tuple[str, Path, str]] = [
    ("a: user_id\n", ("a",), "a: [user_id]\n"),
    ("a: 5 # c\n", ("a",), "a: [5] # c\n"),
    ("a: 'x'\n", ("a",), "a: ['x']\n"),
    ('a: "x"\n', ("a",), 'a: ["x"]\n'),
    ("a: p,q\n", ("a",), 'a: ["p,q"]\n'),
    ("a: p[0]\n", ("a",), 'a: ["p[0]"]\n'),
    ("a: bq://x.y\n", ("a",), "a: [bq://x.y]\n"),
    ("a: x\n  y\n", ("a",), "a: [x\n  y]\n"),
    ("a: >-\n  x y\n", ("a",), 'a: ["x y"]\n'),
    ("a: {b: 1}\n", ("a",), "a: [{b: 1}]\n"),
    ("a: &q x\n", ("a",), "a: &q [x]\n"),
    ("[a, b]\n", (1,), "[a, [b]]\n"),
    ("a:\n  b: 1\n  c: |\n    x\n\n    y\nd: 1\n", ("a",), "a:\n  - b: 1\n    c: |\n      x\n\n      y\nd: 1\n"),
    ("a:\n  b: |2\n     x\n  c: 2\n", ("a",), "a:\n  - b: |2\n       x\n    c: 2\n"),
    ("a:\n  # about b\n  b: 1\n  # about c\n  c: 2\n", ("a",), "a:\n  # about b\n  - b: 1\n    # about c\n    c: 2\n"),
    ("a:\r\n  b: 1\r\n  c: 2\r\n", ("a",), "a:\r\n  - b: 1\r\n    c: 2\r\n"),
    ("- a: 1\n  b: 2\n- c\n", (0,), "- - a: 1\n    b: 2\n- c\n"),
    ("a:\n- 1\n- 2\nb: 1\n", ("a",), "a:\n- - 1\n  - 2\nb: 1\n"),
]
REFUSED_WRAPS: list[tuple[str, str]] = [
    ("a: |\n  x\n  y\n", "text of several lines cannot be put in brackets"),
    ("a:\n", "there is no value to wrap"),
    ("a: &q x\nb: *q\n", "other places would change with it, through an alias"),
    ("b: &q x\na: *q\n", "the value is defined elsewhere, at an anchor"),
    ("a: !!str x\n", "the rest of the file would change"),
]


@each_of(WRAPPED)
def test_wrap_in_yaml(before: str, path: Path, after: str) -> None:
    assert mended(before, wrap(*path)) == after


@each_of(REFUSED_WRAPS)
def test_refused_wrap(before: str, reason: str) -> None:
    assert mended(before, wrap("a")) == Unfixable(reason)


@pytest.mark.parametrize(("before", "after"), [('{"a":"x"}', '{"a":["x"]}'), ('{"a": {"b": 1}}', '{"a": [{"b": 1}]}')])
def test_wrap_in_json(before: str, after: str) -> None:
    assert mended(before, wrap("a"), path="a.json") == after
