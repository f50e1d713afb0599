"""Cells: agreement with wcwidth, and what is never sent to a terminal."""

from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth

from tests.cases import each_of
from trialrun.report.terminal_width import escape_controls, terminal_columns, width
from trialrun.report.wrap import wrap_text

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
