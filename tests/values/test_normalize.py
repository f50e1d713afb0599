"""The words that are compared."""

from __future__ import annotations

from itertools import pairwise
from unicodedata import normalize

from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values.normalize import APOSTROPHES, normalize_words, tokenize


@given(st.text("aHz09 \t.'#", max_size=12))
def test_plain_terms_are_split_as_all_others_are(text: str) -> None:
    assert normalize_words(text) == tuple(word.text for word in tokenize(text))


@each_of(
    [
        ("A  Number\tONE!", "a number one"),
        ("what's, what\u2019s", "whats whats"),
        ("l'eau, qu\u2019une eau", "l eau qu une eau"),
        ("aujourd'hui", "aujourdhui"),
        ("Cre\u0300me Bru\u0302le\u0301e", "crème brûlée"),
        ("STRASSE straße", "strasse strasse"),
        ("ｂｉｇ ＃１", "big #1"),
        ("#1 or # 1", "#1 or 1"),
        ("7-Up 7up", "7 up 7up"),
        ("1.5, 2,5. 3", "1.5 2,5 3"),
        ("mac & cheese", "mac cheese"),
        ("Fizz® Fizz™", "fizz fizz"),
        ("🍔🍔 ❤️", "🍔 🍔 ❤"),
        ("soft\u00adhyphen", "softhyphen"),
        ("ポテト ﾎﾟﾃﾄ", "ポ テ ト ポ テ ト"),
        ("2个汉堡", "2 个 汉 堡"),
        ("...", ""),
    ],
)
def test_words_are_compared_without_what_customers_leave_out(said: str, compared: str) -> None:
    assert " ".join(normalize_words(said)) == compared


def test_a_word_knows_its_place() -> None:
    text = "l'eau, s'il vous plaît"
    assert [text[word.start : word.end] for word in tokenize(text)] == ["l'", "eau", "s'", "il", "vous", "plaît"]


TEXT = st.text(st.characters(exclude_characters=APOSTROPHES), max_size=12)


@given(TEXT)
@example("l'e\u0301au")
@example("A`\uac00")
@example("qu'i\u0302le")
def test_how_characters_are_composed_makes_no_difference(text: str) -> None:
    assert normalize_words(normalize("NFD", text)) == normalize_words(normalize("NFC", text))


@given(TEXT)
@example("\u0149a")
def test_case_makes_no_difference(text: str) -> None:
    assert normalize_words(text.casefold()) == normalize_words(text)
    assert normalize_words(text.upper()) == normalize_words(text)


@given(TEXT)
def test_words_stand_one_after_the_other(text: str) -> None:
    found = tokenize(text)
    assert all(before.start < before.end <= after.start for before, after in pairwise(found))
    assert all(word.text for word in found)
