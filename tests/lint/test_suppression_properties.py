"""A comment for a finding silences that rule at that node and nothing else, in every file of the fixtures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import some_of
from tests.lint.suppressed import linted, silenced
from trialrun.diagnostic import Diagnostic, json_pointer
from trialrun.lint.suppression.collect import INCOMPLETE_READ_RULES
from trialrun.parser import ParsedFile, parse

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
WRONG = [path for path in sorted(FIXTURES.rglob("*.yaml")) if path.parent.name != "valid"]
FILES = [path for path in WRONG if b"trialrun: ignore" not in path.read_bytes()]
SOUND = [
    path
    for path in FILES
    if not {error.rule for error in parse(path.read_bytes(), path.name).errors} & {*INCOMPLETE_READ_RULES}
]
Node = tuple[int, str, int]
"""A key or an item: its document, its JSON Pointer and the line on which it begins."""


def seen(found: list[Diagnostic], *, inserted: int = 10**9) -> list[tuple[int, str, str, str]]:
    """What findings say, on the lines on which they stand once a line is inserted."""
    return sorted(
        (
            diagnostic.range.start.line + (diagnostic.range.start.line >= inserted),
            diagnostic.rule,
            diagnostic.pointer,
            re.sub(r"line \d+", "line", diagnostic.message),
        )
        for diagnostic in found
    )


def nodes(tree: ParsedFile) -> list[Node]:
    return [
        (
            document.index,
            json_pointer(path),
            tree.source.position((document.key_span(path) or document.span(path)).start).line,
        )
        for document in tree.documents
        for path in _paths(document.value, ())
    ]


def _paths(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in inside:
        yield (*path, step)
        yield from _paths(item, (*path, step))


def line_of(target: Diagnostic, known: list[Node]) -> int:
    """The line on which the node of a finding begins."""
    lines = [line for document, pointer, line in known if (document, pointer) == (target.document, target.pointer)]
    return lines[0] if lines else target.range.start.line


def covered(diagnostic: Diagnostic, line: int, known: list[Node]) -> bool:
    """Whether a finding is of a node that begins on a line or of one below it, or stands on the line itself."""
    above = [pointer for document, pointer, at in known if at == line and document == diagnostic.document]
    return diagnostic.range.start.line == line or any(
        f"{diagnostic.pointer}/".startswith(f"{pointer}/") for pointer in above
    )


def with_comment(tree: ParsedFile, line: int, words: str) -> str:
    lines = tree.source.text.splitlines(keepends=True)
    indent = re.match(" *", lines[line - 1])
    assert indent
    return "".join([*lines[: line - 1], f"{indent[0]}# trialrun: {words}\n", *lines[line - 1 :]])


@pytest.mark.parametrize("file", some_of(SOUND, 24), ids=lambda path: path.name)
def test_a_comment_above_a_node_silences_its_rule_there_and_nothing_else(file: Path) -> None:
    data = file.read_bytes()
    tree, before = parse(data, file.name), linted(data).diagnostics
    known = nodes(tree)
    for target in before:
        line = line_of(target, known)
        gone = [
            diagnostic for diagnostic in before if diagnostic.rule == target.rule and covered(diagnostic, line, known)
        ]
        assert target in gone
        after = silenced(with_comment(tree, line, f"ignore[{target.rule}] why"))
        assert seen(after.kept) == seen([one for one in before if one not in gone], inserted=line)
        assert len(after.suppressed) == len(gone)


@pytest.mark.parametrize("file", some_of(FILES, 24), ids=lambda path: path.name)
def test_a_comment_at_the_top_silences_its_rule_in_the_whole_file_and_nothing_else(file: Path) -> None:
    data = file.read_bytes()
    tree, before = parse(data, file.name), linted(data).diagnostics
    for rule in sorted({diagnostic.rule for diagnostic in before}):
        after = silenced(with_comment(tree, 1, f"ignore-file[{rule}] why"))
        assert seen(after.kept) == seen([diagnostic for diagnostic in before if diagnostic.rule != rule], inserted=1)


@pytest.mark.parametrize("file", some_of(SOUND, 24), ids=lambda path: path.name)
def test_lines_above_change_nothing(file: Path) -> None:
    data = file.read_bytes()
    tree, known = parse(data, file.name), nodes(parse(data, file.name))
    for target in linted(data).diagnostics[:3]:
        text = with_comment(tree, line_of(target, known), f"ignore[{target.rule}] why")
        moved = "# one more\n" + text
        assert seen(silenced(moved).kept) == seen(silenced(text).kept, inserted=1)


def test_most_fixtures_are_sound() -> None:
    assert len(SOUND) > len(FILES) / 2
