"""A comment for a finding silences that rule at that node and nothing else, in every file of the fixtures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lint.silenced import linted, silenced
from trialrun.diagnostic import Diagnostic, json_pointer
from trialrun.lint.suppression.silence import Silenced
from trialrun.tree import Document, read

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
FILES = sorted(path for path in FIXTURES.rglob("*.yaml") if path.parent.name != "valid")
NO_NODE = {"syntax-error", "encoding-error"}
Seen = tuple[str, int, str, str]


def seen(one: Diagnostic, *, above: int = 0) -> Seen:
    """What a finding says, `above` lines further up than it stands."""
    message = re.sub(r"line \d+", "line", one.message)
    return one.rule, one.range.start.line - above * 1, one.pointer, message


def paths(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inside: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    for step, item in inside:
        yield (*path, step)
        yield from paths(item, (*path, step))


def node_line(document: Document, path: tuple[str | int, ...], starts: list[int]) -> int:
    span = document.key_span(path) or document.span(path)
    return sum(start <= span.start for start in starts)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_a_comment_above_the_line_of_a_finding_silences_its_rule_there(file: Path) -> None:
    data = file.read_bytes()
    tree = read(data, file.name)
    if any(trouble.rule in NO_NODE for trouble in tree.troubles):
        pytest.skip("broken files have their own test")
    lines = tree.source.text.splitlines(keepends=True)
    starts = tree.source.line_starts
    before = linted(data).diagnostics
    nodes = [(one, path, node_line(one, path, starts)) for one in tree.documents for path in paths(one.value)]
    for target in before:
        document = tree.documents[target.document]
        line = _line_of(target, nodes, document)
        if line is None:
            continue
        on_line = [(one.index, json_pointer(path)) for one, path, at in nodes if at == line]
        indent = re.match(r"[ ]*", lines[line - 1])[0]  # type: ignore[index]
        text = "".join([*lines[: line - 1], f"{indent}# trialrun: ignore[{target.rule}] why\n", *lines[line - 1 :]])
        after = silenced(text)
        _check(target, before, after, line, on_line)


def _line_of(target, nodes, document) -> int | None:
    exact = [at for one, path, at in nodes if one is document and json_pointer(path) == target.pointer]
    return exact[0] if exact else target.range.start.line


def _check(target: Diagnostic, before: list[Diagnostic], after: Silenced, line: int, on_line) -> None:
    def moved(one):
        return seen(one)[:1] + (one.range.start.line + (one.range.start.line >= line),) + seen(one)[2:]

    expected_gone = [
        one
        for one in before
        if one.rule == target.rule
        and (
            one.range.start.line == line
            or any(one.document == d and (one.pointer == p or one.pointer.startswith(p + "/")) for d, p in on_line)
        )
    ]
    assert target in expected_gone, (target, line, on_line)
    kept = sorted(moved(one) for one in before if one not in expected_gone)
    assert sorted(seen(one) for one in after.kept) == kept, (target, line)
