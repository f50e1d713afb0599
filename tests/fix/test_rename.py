"""Renaming a key, or characters of it."""

from __future__ import annotations

from tests.cases import each_of
from tests.fix.fix_text import mended, rename
from trialrun.diagnostic import Path
from trialrun.fix import Unfixable

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
REFUSED: list[tuple[str, Path, str, str]] = [
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
def test_yaml(before: str, path: Path, key: str, chars: tuple[int, int] | None, after: str) -> None:
    assert mended(before, rename(path, key, chars)) == after


@each_of(REFUSED)
def test_refused(before: str, path: Path, key: str, reason: str) -> None:
    assert mended(before, rename(path, key)) == Unfixable(reason)


def test_json() -> None:
    assert mended('{"a":1,"x":2}', rename(("a",), 'b"'), path="a.json") == '{"b\\"":1,"x":2}'


def test_repeated_key_in_json() -> None:
    refused = Unfixable("more would change than intended")
    assert mended('{"a":1,"a":2,"x":3}', rename(("a",), "b"), path="a.json") == refused
