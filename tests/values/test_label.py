"""Label keys and values: the cases, what is said and where, and what must hold for any text."""

import sys
import unicodedata
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values import label

CASES = yaml.safe_load((Path(__file__).parent.parent / "cases/label_cases.yaml").read_text(encoding="utf-8"))["cases"]
SHORT = [case for case in CASES if case["code_points"] <= 64]
TOO_LONG = [case for case in CASES if case["code_points"] > 64]
CODES = {"accept": set(), "warn": {"unportable"}}


def say(text, *, what="value", system_prefix=None):
    """The problems of a text: code, the characters, what replaces them."""
    problems = label.check(text, what=what, system_prefix=system_prefix)
    return [(p.code, text[p.start : p.end], p.replacement) for p in problems]


@each_of([c for c in SHORT if c["verdict"] != "reject"])
def test_accepted_and_warned_about_as_the_cases_say(case):
    assert {code for code, _, _ in say(case["text"])} == CODES[case["verdict"]]


@each_of([c for c in SHORT if c["verdict"] == "reject"])
def test_rejected_as_the_cases_say(case):
    assert "invalid" in {code for code, _, _ in say(case["text"])}


@pytest.mark.parametrize("case", TOO_LONG, ids=lambda c: ascii(c["text"])[:12])
def test_length_is_judged_elsewhere(case):
    assert say(case["text"]) == []


@each_of(
    [
        ("Env", [("invalid", "E", "e")]),
        ("ENV-Prod", [("invalid", "ENV", "env"), ("invalid", "P", "p")]),
        ("a/b", [("invalid", "/", None)]),
        ("a b", [("invalid", " ", None)]),
        ("a!?b.c", [("invalid", "!?", None), ("invalid", ".", None)]),
        ("A!", [("invalid", "A", "a"), ("invalid", "!", None)]),
        ("ÉTÉ", [("invalid", "ÉTÉ", "été")]),
        ("Ⅷ", [("invalid", "Ⅷ", "ⅷ")]),  # category Nl, and still a capital
        ("𝐀", [("invalid", "𝐀", None)]),  # category Lu, and no lower case
        ("ǅ", [("invalid", "ǅ", "ǆ")]),
        ("İ", [("invalid", "İ", None)]),  # its lower case has a combining mark
        ("a\u200db", [("invalid", "\u200d", None)]),
        ("a\n", [("invalid", "\n", None)]),
        ("a_b-ç1", []),
        ("½٣", []),
        ("ที่", [("unportable", "ี่", None)]),
        ("e\u0301te\u0301", [("unportable", "e\u0301", "é"), ("unportable", "e\u0301", "é")]),
        ("\u1100\u1161", [("unportable", "\u1100\u1161", "가")]),
        ("人々", [("unportable", "々", None)]),
        ("E\u0301", [("invalid", "E", "e"), ("unportable", "\u0301", None)]),
    ],
)
def test_characters(text, problems):
    assert say(text) == problems


@each_of(["É", "Ⅷ", "𝐀", "ǅ"])
def test_a_capital_is_called_one(text):
    assert label.check(text, what="value")[0].message.startswith("capital ")


@each_of(
    [
        ("team", []),
        ("été", []),
        ("", [("unportable", "", None)]),
        ("1a", [("unportable", "1", None)]),
        ("-a", [("unportable", "-", None)]),
        ("_", [("unportable", "_", None)]),
        ("Env", [("invalid", "E", "e")]),
        ("ʰa", [("unportable", "ʰ", None)]),
        ("!a", [("invalid", "!", None)]),
    ],
)
def test_a_key_begins_with_a_letter(text, problems):
    assert say(text, what="key") == problems


@each_of(
    [
        ("service.example/team", [("system", "service.example/", None)]),
        ("service.example/", [("system", "service.example/", None)]),
        ("service.example", [("invalid", ".", None)]),
        ("other/team", [("invalid", "/", None)]),
    ],
)
def test_a_key_with_the_system_prefix(text, problems):
    assert say(text, what="key", system_prefix="service.example") == problems


def test_the_system_prefix_is_of_keys_alone():
    assert say("sys/team", system_prefix="sys") == [("invalid", "/", None)]


@given(st.text(), st.sampled_from(["key", "value"]))
def test_any_text_is_judged_within_its_bounds(text, what):
    assert all(0 <= p.start <= p.end <= len(text) for p in label.check(text, what=what, system_prefix="sys"))


@given(st.text())
def test_what_is_not_in_nfc_is_never_silent(text):
    assert unicodedata.is_normalized("NFC", text) or label.check(text, what="value")


@given(st.text(st.characters(categories=["Lu", "Lt", "Ll", "Nl", "Mn"])))
def test_replacing_cures(text):
    problems = label.check(text, what="value")
    cured = text
    for p in reversed([p for p in problems if p.replacement is not None]):
        cured = cured[: p.start] + p.replacement + cured[p.end :]
    left = [p for p in label.check(cured, what="value") if p.code == "invalid"]
    assert len(left) == len([p for p in problems if p.code == "invalid" and p.replacement is None])


@each_of(
    [
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", ["unportable"]),
        ("\u0915\u094d\u200d\u0937", ["unportable"]),
        ("a\u200cb", ["invalid"]),
        ("\u200c", ["invalid"]),
    ],
)
def test_a_joiner_may_stand_where_its_script_is_spelled_with_it(text: str, codes: list[str]) -> None:
    assert [problem.code for problem in label.check(text, what="value")] == codes


REPLACED = [char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.normalize("NFC", char) != char]
"""The characters that normalization replaces wherever they stand: those excluded from composition, and doubles."""


def test_no_character_that_is_never_composed_is_called_decomposed():
    assert len(REPLACED) > 1000
    said = {char: [problem.message for problem in label.check("a" + char, what="value")] for char in REPLACED}
    assert [char for char, messages in said.items() if not messages or "decomposed" in " ".join(messages)] == []


@each_of(
    [
        ("\ufb33", "excluded from composition", "U+05D3 U+05BC"),
        ("\u0958", "excluded from composition", "U+0915 U+093C"),
        ("\uf900", "another code point of a character", "U+8C48"),
        ("\u1f71", "another code point of a character", "U+03AC"),
    ]
)
def test_what_normalization_makes_of_a_character(char, why, points):
    (problem, *_) = label.check(char, what="value")
    assert (problem.code, problem.replacement) == ("unportable", unicodedata.normalize("NFC", char))
    assert why in problem.message
    assert problem.message.endswith(f"and normalization replaces it; write its normal form (NFC), {points}")
