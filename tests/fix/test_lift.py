"""Lift: the contents of an entry instead, comments kept, or a refusal."""

from __future__ import annotations

from tests.cases import each_of
from trialrun.diagnostic import Fix, Lift, Path, SymbolicLocation
from trialrun.fix import Unfixable, resolve_fix
from trialrun.fix.apply import fixed_text
from trialrun.parser import parse


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
