"""Removing an entry of a mapping or an item of a list, in every layout."""

from tests.cases import each_of
from tests.fix.fix_text import mended, remove
from trialrun.diagnostic import Path
from trialrun.fix import Unfixable

BLOCK_ENTRIES: list[tuple[str, Path, str]] = [
    ("a: 1\nb: 2\n", ("a",), "b: 2\n"),
    ("a: 1\nb: 2\n", ("b",), "a: 1\n"),
    ("a: 1\nb: 2", ("b",), "a: 1"),
    ("a: 1\r\nb: 2", ("b",), "a: 1"),
    ("a:\n  - x\n  - y: |\n      z\nb: 2", ("b",), "a:\n  - x\n  - y: |\n      z\n"),
    ("a: 1\n# c\nb: 2 # d", ("b",), "a: 1\n# c"),
    ("# top\na: 1  # why\n# next\nb: 2\n", ("a",), "# top\n# next\nb: 2\n"),
    ("a:\n  x: 1\n  # inner\n  y: 2 # z\n# outer\nb: 2\n", ("a",), "# outer\nb: 2\n"),
    ("k: |\n  text\n\n  more\n\nb: 2\n", ("k",), "\nb: 2\n"),
    ("a: 1\nk: >-\n  text\n  more\n", ("k",), "a: 1\n"),
    ("a: 'x\n  y'\nb: 2\n", ("a",), "b: 2\n"),
    ("a: [x,\n  y]\nb: 2\n", ("a",), "b: 2\n"),
    ("a: 1\t# x\nb: 2\n", ("a",), "b: 2\n"),
    ("a: 🍔\nb: 2\n", ("a",), "b: 2\n"),
    ("a:\nb: 2\n", ("a",), "b: 2\n"),
    ("a: &x 1\nb: *x\n", ("b",), "a: &x 1\n"),
    ("a: 1\r\nb: 2\r\nc: 3\r\n", ("b",), "a: 1\r\nc: 3\r\n"),
]
ONLY_ENTRIES: list[tuple[str, Path, str]] = [
    ("a: 1\n", ("a",), "{}\n"),
    ("---\na: 1\n...\n", ("a",), "---\n{}\n...\n"),
    ("a:\n  x: 1\nb: 2\n", ("a", "x"), "a: {}\nb: 2\n"),
    ("a:\r\n\r\n  x: 1 # c\r\nb: 2\r\n", ("a", "x"), "a: {}\r\nb: 2\r\n"),
    ("a: # why\n  x: 1 # c\nb: 2\n", ("a", "x"), "a: {} # why\nb: 2\n"),
    ("a: &q !!map\n  x: 1\nb: 2\n", ("a", "x"), "a: &q !!map {}\nb: 2\n"),
    ("- x: 1 # c\n- 2\n", (0, "x"), "- {}\n- 2\n"),
    ("- # why\n  x: 1\n- 2\n", (0, "x"), "- {} # why\n- 2\n"),
    ("k:\n- a\n", ("k", 0), "k: []\n"),
    ("k: # why\n  # more\n  - a\nb: 2\n", ("k", 0), "k: [] # why\n  # more\nb: 2\n"),
    ("- - a\n- c\n", (0, 0), "- []\n- c\n"),
]
BESIDE_A_DASH: list[tuple[str, Path, str]] = [
    ("- a: 1\n  b: 2\n- c\n", (0, "a"), "- b: 2\n- c\n"),
    ("- a:\n    - 1\n    - 2\n  b: 2\n", (0, "a"), "- b: 2\n"),
    ("-   a: 1 # c\n\n    b: 2\n", (0, "a"), "-   b: 2\n"),
    ("- - a: 1\n    b: 2\n", (0, 0, "a"), "- - b: 2\n"),
    ("- a: 1\n  # about b\n  b: 2\n", (0, "a"), "-\n  # about b\n  b: 2\n"),
    ("- a: 1 # x\n  b: 2\n", (0, "b"), "- a: 1 # x\n"),
    ("- - a\n  - b\n- c\n", (0, 0), "- - b\n- c\n"),
    ("a:\n  -  - x\n     - y\n", ("a", 0, 0), "a:\n  -  - y\n"),
]
ITEMS: list[tuple[str, Path, str]] = [
    ("- a\n- b\n", (0,), "- b\n"),
    ("- a\n- b\n", (1,), "- a\n"),
    ("- a # c\n# d\n- b\n", (0,), "# d\n- b\n"),
    ("- a: 1\n  b: 2\n- c: 3\n", (0,), "- c: 3\n"),
    ("- |\n  x\n- y\n", (0,), "- y\n"),
    ("- - a\n  - b\n- c\n", (0,), "- c\n"),
    ("-\n-\n- x\n", (1,), "-\n- x\n"),
    ("-\n  a: 1\n- x\n", (0,), "- x\n"),
    ("- &x a\n- *x\n- *x\n- c\n", (2,), "- &x a\n- *x\n- c\n"),
    ("k:\n- a\n- b\nl: 1\n", ("k", 1), "k:\n- a\nl: 1\n"),
]
FLOW: list[tuple[str, Path, str]] = [
    ("{a: 1, b: 2}\n", ("a",), "{b: 2}\n"),
    ("{a: 1, b: 2}\n", ("b",), "{a: 1}\n"),
    ("{ a: 1, b: 2 }\n", ("b",), "{ a: 1 }\n"),
    ("{ a: 1 }\n", ("a",), "{}\n"),
    ("{a: 1,}\n", ("a",), "{}\n"),
    ("{a: 1, b: 2,}\n", ("b",), "{a: 1,}\n"),
    ("{a, b: 1}\n", ("a",), "{b: 1}\n"),
    ("k: [a, {b: 1, c: [1, 2]}, 'x,y']\n", ("k", 1), "k: [a, 'x,y']\n"),
    ("x: &x 1\ny: [a, *x, b]\n", ("y", 1), "x: &x 1\ny: [a, b]\n"),
    ("[a: 1, b]\n", (0,), "[b]\n"),
    ("{\n  a: 1, # one\n  b: 2 # two\n}\n", ("a",), "{\n  b: 2 # two\n}\n"),
    ("{\n  a: 1, # one\n  b: 2, # two\n  c: 3\n}\n", ("b",), "{\n  a: 1, # one\n  c: 3\n}\n"),
    ("{\n  a: 1, # one\n  b: 2 # two\n}\n", ("b",), "{\n  a: 1 # one\n}\n"),
    ("{\n  a: 1,\n  b: 2\n}\n", ("b",), "{\n  a: 1\n}\n"),
    ("{\n  a: 1\n}\n", ("a",), "{}\n"),
    ("{ # why\n  a: 1\n}\n", ("a",), "{ # why\n}\n"),
    ("{a: 1, # one\n b: 2, c: 3}\n", ("a",), "{ # one\n b: 2, c: 3}\n"),
    ("{a: 1, # one\n b: 2, c: 3}\n", ("b",), "{a: 1, # one\n c: 3}\n"),
    ("{a: 1, # one\n b: 2}\n", ("b",), "{a: 1 # one\n }\n"),
    ("{ a: 1\n, b: 2\n, c: 3 }\n", ("b",), "{ a: 1\n, c: 3 }\n"),
]
BESIDE_A_SUPPRESSION_OF_OTHERS: list[tuple[str, Path, str]] = [
    ("# trialrun: ignore[x]\n- a: 1\n  b: 2\n", (0, "a"), "# trialrun: ignore[x]\n- b: 2\n"),
    ("# trialrun: ignore-file[x]\na: 1\nb: 2\n", ("a",), "# trialrun: ignore-file[x]\nb: 2\n"),
    ("# trialrun: ignore[x]\na: 1\nb: 2\n", ("b",), "# trialrun: ignore[x]\na: 1\n"),
]
JSON: list[tuple[str, Path, str]] = [
    ('{"a": 1, "b": 2}', ("a",), '{"b": 2}'),
    ('{"a": 1, "b": 2}', ("b",), '{"a": 1}'),
    ('{"a": 1}', ("a",), "{}"),
    ('{"a":[1,2,3]}', ("a", 1), '{"a":[1,3]}'),
    ('{\n  "a": {\n    "x": "},"\n  },\n  "b": 2\n}\n', ("a",), '{\n  "b": 2\n}\n'),
    ('{\n  "a": 1,\n  "b": 2\n}\n', ("b",), '{\n  "a": 1\n}\n'),
    ('{\r\n\t"a": 1,\r\n\t"b": 2\r\n}\r\n', ("a",), '{\r\n\t"b": 2\r\n}\r\n'),
    ('["\\ud83c\\udf54", 1]', (0,), "[1]"),
]
REFUSED: list[tuple[str, Path, str]] = [
    ("a: 1\n", (), "a whole document is not removed"),
    ("a: 1\n", ("b",), "nothing is at this path"),
    ("a: &x 1\nb: *x\n", ("a",), "the anchor &x in it is used elsewhere"),
    ("a: &x {k: 1, l: 2}\nb: *x\n", ("b", "k"), "it is defined elsewhere, at an anchor"),
    ("a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  z: 1\n", ("b", "k"), "it is defined elsewhere, at an anchor"),
    ("a: &x {k: 1, l: 2}\nb: *x\n", ("a", "k"), "other places would change with it, through an alias"),
    ("a: |\n  t\nb: 1\n  # deep\nc: 2\n", ("b",), "more would change than intended"),
    ("- a: |\n    t\n  b: 1\n    # deep\n- c\n", (0, "b"), "more would change than intended"),
    ("a: 1\na: 2\nb: 1\n", ("a",), "more would change than intended"),
    ("? a\n: 1\n? b\n: 2\n", ("a",), "its layout is too complex to remove it automatically"),
    ("&k a: 1\nb: 2\n", ("a",), "its layout is too complex to remove it automatically"),
    ("[a: 1, b]\n", (0, "a"), "its layout is too complex to remove it automatically"),
    ("{? a : 1, b: 2}\n", ("a",), "its layout is too complex to remove it automatically"),
]


@each_of([*BLOCK_ENTRIES, *ONLY_ENTRIES, *BESIDE_A_DASH, *ITEMS, *FLOW, *BESIDE_A_SUPPRESSION_OF_OTHERS])
def test_yaml(before: str, path: Path, after: str) -> None:
    assert mended(before, remove(*path)) == after


@each_of(JSON)
def test_json(before: str, path: Path, after: str) -> None:
    assert mended(before, remove(*path), path="a.json") == after


@each_of(REFUSED)
def test_refused(before: str, path: Path, reason: str) -> None:
    assert mended(before, remove(*path)) == Unfixable(reason)


SUPPRESSED = "the suppression comment above it would apply to what follows; remove both"


@each_of(
    [
        ("# trialrun: ignore[x] why\na: 1\nb: 2\n", ("a",)),
        ("# trialrun: ignore[x] why\n# more\n\na: 1\nb: 2\n", ("a",)),
        ("- a\n# trialrun:ignore[x]\n- b\n- c\n", (1,)),
        ("k: [a, # c\r\n  # TRIALRUN: ignore[x]\r\n  b]\r\n", ("k", 1)),
        ("- a: 1\n  # trialrun: ignore[x]\n  b: 2\n", (0, "b")),
    ]
)
def test_what_a_suppression_above_speaks_of_stays(before: str, path: Path) -> None:
    assert mended(before, remove(*path)) == Unfixable(SUPPRESSED)


def test_only_its_own_document_is_touched() -> None:
    text = "a: 1\n---\na: 1\nb: 2 # x\n---\nd: 'no\n"
    assert mended(text, remove("a"), document=1) == "a: 1\n---\nb: 2 # x\n---\nd: 'no\n"


def test_a_flow_mapping_beside_a_line_break_that_is_none() -> None:
    assert mended("{a: \x85x, b: 2}", remove("b")) == "{a: \x85x}"
