"""Language tags: the cases with their oracles, what is said and where, and what must hold for any text."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values import language_tag

CASES = yaml.safe_load((Path(__file__).parent.parent / "cases/bcp47_cases.yaml").read_text(encoding="utf-8"))
TAGS = {case["tag"]: case for case in CASES["cases"]}
DECIDED = {tag: case for tag, case in TAGS.items() if case["valid"] is not None}


def say(text):
    """The problems of a text: code, the characters, what replaces them."""
    return [(p.code, text[p.start : p.end], p.replacement) for p in language_tag.check(text)]


@each_of([*TAGS])
def test_well_formed_as_the_cases_say(tag):
    assert language_tag.is_well_formed(tag) is TAGS[tag]["well_formed"]


@each_of([*DECIDED])
def test_valid_and_canonical_as_the_cases_say(tag):
    assert language_tag.is_valid(tag) is DECIDED[tag]["valid"]
    assert language_tag.canonicalize(tag) == DECIDED[tag]["canonical"]


@each_of([*DECIDED])
def test_invalid_is_said_of_just_what_is_not_valid(tag):
    assert ("invalid" in [code for code, _, _ in say(tag)]) is not DECIDED[tag]["valid"]


def test_the_snapshot_is_the_registry_of_the_cases():
    assert CASES["registry_date"] == language_tag.FILE_DATE


@each_of(
    [
        ("jp", "jp", "ja"),
        ("cn", "cn", "zh"),
        ("gr", "gr", "el"),
        ("cz-CZ", "cz", "cs"),
        ("dk", "dk", "da"),
        ("us", "us", "en"),
        ("ua", "ua", "uk"),
        ("english", "english", "en"),
        ("German", "German", "de"),
        ("portuguese", "portuguese", "pt"),
        ("eng", "eng", "en"),
        ("ger", "ger", "de"),
        ("en-UK", "UK", "GB"),
        ("uk-UK", "UK", "UA"),
        ("ja-JA", "JA", "JP"),
        ("ko-KO", "KO", "KR"),
        ("en-EN", "-EN", ""),
        ("en-USA", "USA", "US"),
        ("en-840", "840", "US"),
        ("es-LAT", "LAT", "419"),
        ("es-LATAM", "LATAM", "419"),
        ("pt-Brazil", "Brazil", "BR"),
        ("sr-Latin", "Latin", "Latn"),
        ("zh-CHT", "CHT", "Hant"),
        ("en-US-posix", "posix", "u-va-posix"),
        ("en_US", "_", "-"),
        ("en_UK", "_UK", "-GB"),
        ("en US", " ", "-"),
        ("en–US", "–", "-"),
        ("en-US.UTF-8", ".UTF-8", ""),
        ("sr_RS@latin", "_RS@latin", "-Latn-RS"),
        ("zh-CN-Hans", "CN-Hans", "Hans-CN"),
        (" en", " ", ""),
        ("en--US", "-", ""),
        ("en-", "-", ""),
        ("xx", "xx", None),
        ("", "", None),
        ("e", "e", None),
        ("419", "419", None),
        ("en-u", "u", None),
        ("de-419-DE", "DE", None),
        ("en-Cyrx", "Cyrx", None),
        ("sl-rozaj-rozaj", "rozaj", None),
        ("en-u-ca-gregory-u-nu-latn", "u-nu-latn", None),
        ("zh-cmn-yue", "yue", None),
        ("Kiswahili!", "!", None),
    ],
)
def test_invalid_at_the_subtag_with_what_was_meant(text, characters, replacement):
    assert say(text) == [("invalid", characters, replacement)]


@each_of(
    [("zh-aaa-bbb-ccc", True), ("zh-aaa-bbb-ccc-ddd", False), ("english-yue", False), ("x-x", True), ("en-x", False)],
)
def test_well_formed_at_the_edges_of_the_grammar(text, well_formed):
    assert language_tag.is_well_formed(text) is well_formed


def test_a_variant_that_becomes_another_stands_once():
    assert language_tag.canonicalize("ja-Latn-alalc97-heploc") == "ja-Latn-alalc97"


def test_two_unknown_subtags_are_two_problems():
    assert say("english-UK") == [("invalid", "english", "en"), ("invalid", "UK", "GB")]


@each_of(
    [
        ("EN-us", "EN-us", "en-US"),
        ("en-us", "us", "US"),
        ("zh-hant-TW", "hant", "Hant"),
        ("iw-IL", "iw", "he"),
        ("my-BU", "BU", "MM"),
        ("zh-cmn", "zh-cmn", "cmn"),
        ("zh-yue-HK", "zh-yue-HK", "yue-HK"),
        ("i-klingon", "i-klingon", "tlh"),
        ("en-GB-oed", "oed", "oxendict"),
        ("ja-Latn-hepburn-heploc", "heploc", "alalc97"),
        ("de-u-co-phonebk-t-en", "u-co-phonebk-t-en", "t-en-u-co-phonebk"),
        ("sr-YU", "YU", None),
        ("i-enochian", "i-enochian", None),
    ],
)
def test_non_canonical_where_it_differs_from_the_canonical_form(text, characters, replacement):
    assert say(text) == [("non-canonical", characters, replacement)]


@each_of(
    [
        ("kr", "kr", "ko"),
        ("kr-KR", "kr", "ko"),
        ("KR", "KR", "ko"),
        ("se", "se", "sv"),
        ("tw", "tw", "zh-Hant-TW"),
        ("tw-TW", "tw", "zh-Hant"),
        ("br", "br", "pt-BR"),
        ("br-BR", "br", "pt"),
        ("ch", "ch", None),
        ("uk", "uk", None),
        ("es-LA", "LA", "419"),
        ("sv-SV", "SV", "SE"),
        ("und", "und", None),
        ("x-foo", "x-foo", None),
        ("de-CH-x-phonebk", "x-phonebk", None),
        ("qaa-Qaaa-QM", "qaa", None),
        ("ar-XA", "XA", None),
        ("en-a-bbb", "a-bbb", None),
        ("en-valencia", "valencia", None),
        ("zh-Hant-pinyin", "pinyin", None),
    ],
)
def test_suspicious_at_what_is_rarely_meant(text, characters, replacement):
    assert say(text) == [("suspicious", characters, replacement)]


@each_of(
    [
        "en",
        "pt-BR",
        "es-419",
        "zh-Hant-TW",
        "uk-UA",
        "br-FR",
        "tw-GH",
        "se-NO",
        "hi-Latn",
        "ca-valencia",
        "ja-Latn-JP-hepburn",
        "en-GB-oxendict",
        "tl-PH",
        "de-1996",
        "yue",
        "en-u-ca-gregory",
        "sh",
        "es-ES",
        "lo-LA",
    ],
)
def test_nothing_is_said_of_an_ordinary_tag(text):
    assert say(text) == []


@each_of(CASES["lookup"])
def test_lookup_as_the_cases_say(row):
    canonicalised = {"he-IL": "iw"}  # the row's own note: canonicalise both sides first
    found = language_tag.lookup(row["range"], row["available"]) or row["default"]
    assert found == canonicalised.get(row["range"], row["rfc4647_lookup"])


@each_of(
    [
        ("EN-us", ["en", "en-US"], "en-US"),
        ("zh-yue", ["yue"], "yue"),
        ("en-x-menu", ["en-x", "en"], "en"),
        ("fr", ["en"], None),
        ("en", ["en-US"], None),
        ("pt-BR", ["pt", "PT"], "pt"),
        ("en_US", ["en_us"], "en_us"),
        ("", ["en"], None),
        ("en", [], None),
    ],
)
def test_lookup(wanted, offered, found):
    assert language_tag.lookup(wanted, offered) == found


@each_of(
    [
        ("pt-BR", "Portuguese (Brazil)"),
        ("iw", "Hebrew"),
        ("yue", "Yue Chinese"),
        ("sr-Latn-RS", "Serbian (Latin, Serbia)"),
        ("xx", None),
        ("x-foo", None),
        ("i-enochian", None),
    ],
)
def test_name(text, name):
    assert language_tag.english_name(text) == name


SUBTAGS = st.sampled_from(
    [
        *("en", "zh", "yue", "Latn", "US", "419", "rozaj", "1996"),
        *("u", "ca", "x", "a1", "", "i", "uk"),
    ]
)
TEXTS = st.one_of(st.text(), st.text("aeAEz09-_ .@"), st.lists(SUBTAGS, max_size=7).map("-".join))


@given(TEXTS)
def test_any_text_is_judged_within_its_bounds(text):
    problems = language_tag.check(text)
    assert all(0 <= p.start <= p.end <= len(text) for p in problems)
    assert ("invalid" in {p.code for p in problems}) is not language_tag.is_valid(text)


@given(TEXTS)
def test_replacing_everything_gives_a_valid_tag_with_nothing_more_to_replace(text):
    problems = language_tag.check(text)
    if problems and all(p.replacement is not None for p in problems):
        for p in reversed(problems):
            text = text[: p.start] + p.replacement + text[p.end :]
        assert "invalid" not in {p.code for p in language_tag.check(text)}


@given(TEXTS)
def test_the_canonical_form_is_valid_and_its_own(text):
    form = language_tag.canonicalize(text)
    if form is not None:
        assert language_tag.canonicalize(form) == form
        assert language_tag.canonicalize(text.swapcase()) == form


@given(TEXTS)
def test_a_tag_is_looked_up_by_itself(text):
    assert language_tag.lookup(text, ["fr", text]) == text


@each_of(
    [
        ("de-DE", "de-de", True),
        ("de-Latn-DE-1996", "de-*-DE", True),
        ("de-Deva-DE", "de-*-DE", True),
        ("de-x-DE", "de-*-DE", False),
        ("de-Deva", "de-*-DE", False),
        ("de", "de-*-DE", False),
        ("zh-Hant-TW", "*-Hant", True),
        ("iw", "he", True),
        ("en", "*", True),
        ("en", "de", False),
        ("en-a-bb-DE", "en-DE", False),
    ],
)
def test_extended_filtering(tag: str, language_range: str, expected: bool) -> None:
    assert language_tag.matches(tag, language_range) is expected


@each_of(["", "de_DE", "-", "*-", "averylongtag", "de--DE"])
def test_what_is_no_language_range(text: str) -> None:
    with pytest.raises(ValueError, match="is no language range"):
        language_tag.matches("de", text)


@each_of([("zh-cmn-Hans", "zh"), ("zh-yue", "zh"), ("ar-arb", "ar"), ("zh-min-nan", "zh"), ("no-bok", "no")])
def test_a_canonical_tag_that_leaves_a_language_unserved_says_so(tag, language):
    (problem,) = language_tag.check(tag)
    assert f'keep a text for "{language}", whose customers no lookup leads to it' in problem.message
    assert language_tag.lookup(language, [tag]) is None


@each_of(["iw", "EN-us", "i-lux", "sgn-ase", "mo", "en-GB-oed"])
def test_a_canonical_tag_of_the_same_language_leaves_nobody_unserved(tag):
    assert [problem for problem in language_tag.check(tag) if "keep a text" in problem.message] == []
