"""Properties of every frame: it fits, and the carets stand exactly under the characters."""

from __future__ import annotations

import re
from unicodedata import category

from hypothesis import example, given, settings
from hypothesis import strategies as st
from wcwidth import iter_graphemes, wcswidth

from trialrun.diagnostic import Diagnostic, Position, Range, RelatedLocation, Severity
from trialrun.report.interface import Run, Summary
from trialrun.report.text import report
from trialrun.text import Source

CLUSTERS = ["a", "b", " ", "-", "é", "e\u0301", "日", "語", "🍔", "👨‍👩‍👧", "❤\ufe0f", "\t", "{", '"']
HOSTILE = [*"a 日🏽\u0301\u200d\ufe0f\x1b\x9b\u202e\u2028\u200b\ud800\t"]

lines = st.lists(st.sampled_from(CLUSTERS), max_size=200)
marked = st.lists(st.sampled_from(CLUSTERS), min_size=1, max_size=8)
words = st.lists(st.sampled_from(["priority", "3", "日本語", "is", "(line 12)", "🍔"]), max_size=30).map(" ".join)
hostile = st.lists(st.sampled_from([*HOSTILE, "\n", "\r"]), max_size=120).map("".join)
positions = st.builds(Position, st.integers(1, 6), st.integers(1, 60))
ranges = st.tuples(positions, positions).map(lambda pair: Range(*sorted(pair)))


def rendered(text: str, place: Range, related: list[RelatedLocation], message: str, *, width: int) -> list[str]:
    found = Diagnostic("some-rule", Severity.ERROR, message, "a.yaml", place, help=message, related=tuple(related))
    source = Source("a.yaml", text)
    run = Run([found], lambda path: source, Summary(1, 1, 1), "0")
    return "".join(report(run, width=width)).split("\n")


@settings(deadline=None)
@given(lines, marked, lines, st.integers(40, 100))
@example(["a"] * 90, ["b"] * 9, [], 40)
@example(["a"] * 35, ["b"], ["a"] * 9, 40)
@example(["a"] * 36, ["b"], ["a"] * 9, 40)
def test_carets_stand_exactly_under_the_characters(
    before: list[str], wrong: list[str], after: list[str], width: int
) -> None:
    start, length = len("".join(before)) + 1, len("".join(wrong))
    place = Range(Position(1, start), Position(1, start + length))
    page = rendered("".join(before + wrong + after), place, [], "wrong", width=width)
    source, carets = page[3], page[4]
    expected = "".join(wrong).replace("\t", "    ")
    assert source.removeprefix("1 |").strip("… ") in "".join(before + wrong + after).replace("\t", "    ")
    assert above(source, carets).rstrip() == expected.rstrip()
    assert carets.count("^") == wcswidth(expected)


@settings(deadline=None)
@given(st.lists(lines, max_size=6), ranges, st.lists(ranges, max_size=3), words, words, st.integers(40, 100))
def test_no_line_is_wider_than_the_page(
    rows: list[list[str]], place: Range, others: list[Range], label: str, message: str, width: int
) -> None:
    text = "\n".join(map("".join, rows))
    related = [RelatedLocation(label, "a.yaml", other) for other in others]
    page = rendered(text, place, related, message, width=width)
    assert [line for line in page if wcswidth(line) > width] == []


@settings(deadline=None)
@given(hostile, hostile, hostile, ranges, st.lists(ranges, max_size=3), st.integers(1, 100))
def test_nothing_unsafe_is_ever_written(
    text: str, label: str, message: str, place: Range, others: list[Range], width: int
) -> None:
    related = [RelatedLocation(label, path, other) for other in others for path in ("a.yaml", "\x1b.yaml")]
    page = rendered(text, place, related, message, width=width)
    written = "".join(page)
    assert {character for character in written if category(character) in ("Cc", "Cs", "Zl", "Zp")} == set()
    assert re.search("[\u202a-\u202e\u2066-\u2069\u200b]", written) is None


def above(source: str, carets: str) -> str:
    """What the source row shows in the cells that have a caret in the row below."""
    shown, cell = [], 0
    for cluster in iter_graphemes(source):
        if "^" in carets[cell : cell + wcswidth(cluster)]:
            shown.append(cluster)
        cell += wcswidth(cluster)
    return "".join(shown)
