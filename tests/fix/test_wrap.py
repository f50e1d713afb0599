"""Making a value the only item of a list."""

from __future__ import annotations

import pytest

from tests.cases import each_of
from tests.fix.fix_text import mended, wrap
from trialrun.diagnostic import Path
from trialrun.fix import Unfixable

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
REFUSED: list[tuple[str, str]] = [
    ("a: |\n  x\n  y\n", "text of several lines cannot be put in brackets"),
    ("a:\n", "there is no value to wrap"),
    ("a: &q x\nb: *q\n", "other places would change with it, through an alias"),
    ("b: &q x\na: *q\n", "the value is defined elsewhere, at an anchor"),
    ("a: !!str x\n", "the rest of the file would change"),
]


@each_of(WRAPPED)
def test_yaml(before: str, path: Path, after: str) -> None:
    assert mended(before, wrap(*path)) == after


@each_of(REFUSED)
def test_refused(before: str, reason: str) -> None:
    assert mended(before, wrap("a")) == Unfixable(reason)


@pytest.mark.parametrize(("before", "after"), [('{"a":"x"}', '{"a":["x"]}'), ('{"a": {"b": 1}}', '{"a": [{"b": 1}]}')])
def test_json(before: str, after: str) -> None:
    assert mended(before, wrap("a"), path="a.json") == after
