"""Fixes of several operations, fixes of the reader's own troubles, and fixes made together."""

from __future__ import annotations

from tests.cases import each_of
from tests.fix.fix_text import mended, remove, rename, replace, wrap
from trialrun.diagnostic import Fix, Operation, ResolvedFix
from trialrun.fix import Unfixable, fixed_text, resolve_fix
from trialrun.parser import parse
from trialrun.text import Edit, Span


@each_of(
    [
        ("a_b: x\n", (replace(("a_b",), "z"), rename(("a_b",), "aB")), "aB: z\n"),
        ("a: 1\nb:\n  c: 2\n", (remove("a"), rename(("b", "c"), "d"), rename(("b",), "e")), "e:\n  d: 2\n"),
        ("[1, 2, 3, 4]\n", (remove(1), remove(2)), "[1, 4]\n"),
        ("- 1\n- 2\n- 3\n", (remove(0), remove(2)), "- 2\n"),
        ("a:\n  b_c: 1\n  d: 2\n", (wrap("a"), rename(("a", "b_c"), "bC")), Unfixable("two of its changes overlap")),
        ("- 1\n- 2\n", (remove(0), remove(1)), Unfixable("more would change than intended")),
        (
            "a: x y\n",
            (replace(("a",), "z"), replace(("a",), "w", chars=(2, 3))),
            Unfixable("two of its changes overlap"),
        ),
        ("a: 1\n", (), Unfixable("the fix changes nothing")),
    ]
)
def test_several_operations(before: str, operations: tuple[Operation, ...], after: str | Unfixable) -> None:
    assert mended(before, *operations) == after


@each_of(
    [
        ("a: no # c\n", "no", '"no"', 'a: "no" # c\n'),
        ("{a: no, b: 1}\n", "no", '"no"', '{a: "no", b: 1}\n'),
        ("a: 012\n", "012", "12", "a: 12\n"),
        ("no: 1\n", "no", '"no"', '"no": 1\n'),
        ("a: !x y\n", "!x y", '"!x y"', 'a: "!x y"\n'),
        ("a: */5 * * * *\nb: 1\n", "*/5 * * * *", '"*/5 * * * *"', 'a: "*/5 * * * *"\nb: 1\n'),
        ("a: no way\nb: no\n", "no", "yes", Unfixable("the error would remain")),
        ("a: */5 * * * *\nb: 1\n", "*/5 * * * *", "*/5", Unfixable("the error would remain")),
        ("a: yes\nb: 1\n", "yes", "no", Unfixable("the error would remain")),
        ("a: yes\nb: 1\n", "yes", '"', Unfixable("the error would remain")),
    ]
)
def test_an_edit_of_the_reader_cures_its_trouble(before: str, old: str, new: str, after: str | Unfixable) -> None:
    start = before.index(old)
    assert mended(before, Edit(Span(start, start + len(old)), new)) == after


def test_without_a_document_there_is_nothing_to_mend() -> None:
    source = parse(b"a: 1\n", "a.yaml").source
    made = resolve_fix(Fix("x", (remove("a"),)), source=source, document=None, find_path=lambda place: place.path)
    assert made == Unfixable("there is no document to fix")


def together(text: str, *operations: Operation, path: str = "a.yaml") -> str:
    """The text with every operation made as a fix of its own."""
    tree = parse(text.encode(), path)
    made = [
        resolve_fix(
            Fix("x", (operation,)), source=tree.source, document=tree.documents[0], find_path=lambda place: place.path
        )
        for operation in operations
    ]
    return fixed_text(tree.source, [one for one in made if isinstance(one, ResolvedFix)])


@each_of(
    [
        ("a: 1\nb: 2\nc: 3\n", (remove("c"), remove("a")), "b: 2\n"),
        ("a: x\r\nb: y\r\n", (replace(("b",), "z"), replace(("a",), "w")), "a: w\r\nb: z\r\n"),
        ("a: x\n", (replace(("a",), "z"), replace(("a",), "w")), "a: z\n"),
        ("a: x\n", (replace(("a",), "z"), replace(("a",), "z")), "a: z\n"),
        ("a:\n  b: 1\n", (remove("a", "b"), rename(("a",), "x")), "x: {}\n"),
        ("[a, b, c, d]\n", (remove(1), remove(2), remove(3)), "[a]\n"),
        ("[a, b, c]\n", (remove(0), remove(1)), "[b, c]\n"),
    ]
)
def test_of_two_fixes_at_one_place_the_first_is_made(
    before: str, operations: tuple[Operation, ...], after: str
) -> None:
    assert together(before, *operations) == after


@each_of(
    [
        ("p:\n  a: 1\n  b: 2\nq: 1\n", (remove("p", "a"), remove("p", "b")), "p:\n  b: 2\nq: 1\n"),
        ("p:\n  a:\n  b:\n", (remove("p", "a"), remove("p", "b")), "p:\n  b:\n"),
        ("p:\n- 1\n- 2\n", (remove("p", 0), remove("p", 1)), "p:\n- 2\n"),
        ("naem: 1\nnmae: 2\n", (rename(("naem",), "name"), rename(("nmae",), "name")), "name: 1\nnmae: 2\n"),
    ]
)
def test_what_is_true_alone_and_not_together_waits(before: str, operations: tuple[Operation, ...], after: str) -> None:
    assert together(before, *operations) == after


def test_a_fix_is_made_whole_or_not_at_all() -> None:
    text = '{\n  "a": 1, \n  "b": 2,\n  "c": 3\n}\n'
    assert together(text, remove("b"), remove("c"), path="a.json") == '{\n  "a": 1, \n  "c": 3\n}\n'
