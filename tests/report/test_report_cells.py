"""Values, widths and tables as they are laid out for a terminal."""

import io
import math
import re
from datetime import UTC, datetime
from itertools import product
from unicodedata import category

from hypothesis import example, given, settings
from hypothesis import strategies as st
from wcwidth import iter_graphemes, wcswidth

from tests.cases import each_of
from trialrun.diagnostic import Diagnostic, Position, Range, RelatedLocation, Severity
from trialrun.report.format_value import (
    align_columns,
    align_if_wide_enough,
    format_value,
    join_cells,
    truncate,
)
from trialrun.report.interface import Run, Summary
from trialrun.report.terminal_width import escape_controls, terminal_columns, width, wrap_text
from trialrun.report.text import report
from trialrun.serialization import json_value
from trialrun.text import Source

LETTERS = ["a", "Z", " ", "é", "e\u0301", "日", "ｗ", "ｱ", "한", "ß", "Ω", "…"]
EMOJI = ["🍔", "👩🏽", "👨\u200d👩\u200d👧", "❤\ufe0f", "1\ufe0f\u20e3", "🇩🇪"]
CLUSTERS = LETTERS + EMOJI


@each_of(CLUSTERS)
def test_a_cluster_takes_the_cells_that_wcwidth_says(text: str) -> None:
    assert width(text) == wcswidth(text)


@settings(deadline=None)
@given(st.lists(st.sampled_from(CLUSTERS)).map("".join))
def test_a_text_takes_the_cells_that_wcwidth_says(text: str) -> None:
    assert width(text) == wcswidth(text)


@each_of(
    [
        ("plain", "plain"),
        ("tab\there", r"tab\there"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\x9b31m", r"\x9b31m"),
        ("a\r\nb", r"a\r\nb"),
        ("\x00\x7f", r"\x00\x7f"),
        ("\u202eabc\u2069", r"\u202eabc\u2069"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("soft\xadhyphen", r"soft\xadhyphen"),
        ("a\u200db", r"a\u200db"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("نامه\u200cای", "نامه\u200cای"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
        ("日本語 é", "日本語 é"),
    ]
)
def test_unsafe_characters_become_escapes(text: str, shown: str) -> None:
    assert escape_controls(text) == shown


@each_of([("\t", 4), ("\x1b", 4), ("\u202e", 6), ("\u0301", 6), ("\t\u0301", 10), ("a\u0301\u0302", 1), ("", 0)])
def test_tabs_escapes_and_lone_accents_have_a_fixed_width(text: str, cells: int) -> None:
    assert width(text) == cells


@each_of(
    [
        ("", [""]),
        ("one", ["one"]),
        ("one two three", ["one two", "three"]),
        ("one  two", ["one  two"]),
        ("a https://example.com/long/path b", ["a", "https://example.com/long/path", "b"]),
        ("日本語の表示名", ["日本語の", "表示名"]),
        ("one\ntwo", ["one", "two"]),
        ("straße/größer/länger", ["straße/größer/länger"]),
    ]
)
def test_a_sentence_is_wrapped_at_blanks(text: str, lines: list[str]) -> None:
    assert wrap_text(text, first=8, rest=8) == lines


def test_the_first_word_goes_to_the_next_line_where_only_that_has_room() -> None:
    assert wrap_text("eleven more", first=3, rest=11) == ["", "eleven more"]


@each_of([({}, 80), ({"COLUMNS": "60"}, 60), ({"COLUMNS": "0"}, 80), ({"COLUMNS": ""}, 80), ({"COLUMNS": "wide"}, 80)])
def test_a_stream_that_is_no_terminal_has_80_columns_unless_told(environ: dict[str, str], expected: int) -> None:
    assert terminal_columns(io.StringIO(), environ) == expected


WIDTHS = ["a", "b", " ", "-", "é", "e\u0301", "日", "語", "🍔", "👨‍👩‍👧", "❤\ufe0f", "\t", "{", '"']
HOSTILE = [*"a 日🏽\u0301\u200d\ufe0f\x1b\x9b\u202e\u2028\u200b\ud800\t"]

lines = st.lists(st.sampled_from(WIDTHS), max_size=200)
marked = st.lists(st.sampled_from(WIDTHS), min_size=1, max_size=8)
words = st.lists(st.sampled_from(["priority", "3", "日本語", "is", "(line 12)", "🍔"]), max_size=30).map(" ".join)
hostile = st.lists(st.sampled_from([*HOSTILE, "\n", "\r"]), max_size=120).map("".join)
positions = st.builds(Position, st.integers(1, 6), st.integers(1, 60))
ranges = st.tuples(positions, positions).map(lambda pair: Range(*sorted(pair)))


def rendered(text: str, place: Range, related: list[RelatedLocation], message: str, *, width: int) -> list[str]:
    found = Diagnostic("some-rule", Severity.ERROR, message, "a.yaml", place, help=message, related=tuple(related))
    source = Source("a.yaml", text)
    return "".join(report(Run([found], lambda path: source, Summary(1, 1, 1), "0"), width=width)).split("\n")


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
    written = "".join(rendered(text, place, related, message, width=width))
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


NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
VALUES = [
    (None, None, "null"),
    (True, True, "true"),
    (7, 7, "7"),
    (0.1, 0.1, "0.1"),
    (math.nan, "NaN", "NaN"),
    (-math.inf, "-Infinity", "-Infinity"),
    ("", "", '""'),
    (" a", " a", '" a"'),
    ("two words", "two words", "two words"),
    ("\x1b[31m", "\x1b[31m", "\\x1b[31m"),
    (b"\x00\xff", "AP8=", "AP8= (2 bytes)"),
    (b"", "", "(0 bytes)"),
    (NOON, "2026-11-20T12:00:00Z", "2026-11-20T12:00:00Z"),
    (["en", "fr"], ["en", "fr"], '["en", "fr"]'),
    ((1.23456, None, math.inf), [1.23456, None, "Infinity"], "[1.235, null, Infinity]"),
    ([0.5] * 768, [0.5] * 768, "[0.5, 0.5, 0.5, … 768 values]"),
    ([], [], "[]"),
    ([NOON], ["2026-11-20T12:00:00Z"], "[2026-11-20T12:00:00Z]"),
]
ROWS = [["id", "name", "price"], ["a", "Ærøskøbing smørrebrød", "7.25"], ["b", "面", "12"]]


@each_of(VALUES)
def test_a_value(value: object, as_json: object, as_text: str) -> None:
    assert json_value(value) == as_json
    assert format_value(value) == as_text


@each_of(product(["abcdef", "a面面面面", "面面面面", "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301"], [1, 2, 3, 4, 5]))
def test_what_is_cut_fits_and_says_so(text: str, room: int) -> None:
    assert width(truncate(text, room)) <= room
    assert truncate(text, room).endswith("…")


def test_columns_stand_below_each_other() -> None:
    cells = align_columns(ROWS, width=60, right=(2,))
    assert cells is not None
    assert [join_cells(row) for row in cells] == [
        "id  name                   price",
        "a   Ærøskøbing smørrebrød   7.25",
        "b   面                        12",
    ]


def test_the_widest_column_gives_way() -> None:
    cells = align_columns(ROWS, width=20)
    assert cells is not None
    assert [join_cells(row) for row in cells] == ["id  name       price", "a   Ærøskøbi…  7.25", "b   面         12"]


def test_the_head_is_not_cut() -> None:
    assert align_columns([["a long name"], ["x"]], width=10) == [["a long na…"], ["x"]]
    assert align_columns([["a long name"], ["x"]], width=10, head=True) is None


def test_too_many_columns_make_no_table() -> None:
    assert align_columns([["a long text"] * 4], width=30) is None


def test_what_has_no_room_for_a_table_is_safe_for_a_terminal_nevertheless() -> None:
    assert align_if_wide_enough([["a long \x1b[31mname", "a long text"]], width=9) == [
        ["a long \\x1b[31mname", "a long text"]
    ]
