"""Replacing a scalar, or characters of it, in every style."""

from __future__ import annotations

from tests.cases import each_of
from tests.fix.fix_text import mended, replace
from trialrun.diagnostic import Path
from trialrun.fix import Unfixable

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
