"""The words that are compared."""

from __future__ import annotations

import pytest

from trialrun.values.words import plain, words


@pytest.mark.parametrize(
    ("said", "compared"),
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
    assert " ".join(plain(said)) == compared


def test_a_word_knows_its_place() -> None:
    text = "l'eau, s'il vous plaît"
    assert [text[word.start : word.end] for word in words(text)] == ["l'", "eau", "s'", "il", "vous", "plaît"]
