"""The edits between two texts make the one of the other, whatever their lines are."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialrun.diagnostic import Range, TextEdit
from trialrun.lsp.features import code_action as module
from trialrun.lsp.features.code_action import diff_edits
from trialrun.text import Position, Source

TEXTS = st.lists(st.sampled_from(["a: 1", "b: 2\n", "\n", "  c: 🍔\r\n", "d\r", "\ufeff"]), max_size=12).map("".join)


def edits(before: str, after: str) -> tuple[TextEdit, ...]:
    return diff_edits(Source("", before), Source("", after))


def after_edits(before: str, made: tuple[TextEdit, ...]) -> str:
    source, text = Source("", before), before
    for edit in reversed(made):
        text = text[: source.offset(edit.range.start)] + edit.text + text[source.offset(edit.range.end) :]
    return text


@given(TEXTS, TEXTS)
def test_the_edits_make_one_text_of_the_other(before: str, after: str) -> None:
    assert after_edits(before, edits(before, after)) == after


@given(TEXTS, TEXTS)
def test_edits_are_in_order_and_do_not_overlap(before: str, after: str) -> None:
    made = edits(before, after)
    assert all(one.range.end <= other.range.start for one, other in pairwise(made))


def test_equal_texts_need_none() -> None:
    assert edits("a\nb\n", "a\nb\n") == ()


def test_lines_that_stay_are_in_no_edit() -> None:
    assert edits("a\nb\nc\nd\n", "A\nb\nc\nD\n") == (
        TextEdit(Range(Position(1, 1), Position(2, 1)), "A\n"),
        TextEdit(Range(Position(4, 1), Position(5, 1)), "D\n"),
    )


def test_too_many_lines_are_replaced_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_COMPARED_LINES", 3)
    assert len(edits("a\nb\nc\nd\n", "A\nb\nc\nD\n")) == 1
