"""Resource names, and the names that may be like another one."""

from difflib import get_close_matches
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values import resource_name
from trialrun.values.suggest import (
    MAX_CANDIDATES,
    MAX_COMPARED,
    MAX_LENGTH,
    NameIndex,
    candidates,
    closest_name,
    suggest,
)
from trialrun.values.time_zone import zone_names

CHANNEL_CONFIG = "projects/{project}/locations/{location}/brands/{brand}/channelConfigs/{channelConfig}"
GOOD = "projects/p/locations/l/brands/b/channelConfigs/c"


def say(text):
    """The problems of a text: where, the characters, what replaces them."""
    problems = resource_name.check(text, pattern=CHANNEL_CONFIG)
    return [(p.start, text[p.start : p.end], p.replacement) for p in problems]


@each_of([GOOD, GOOD + "-2", GOOD.replace("/b/", "/Größe 1!/"), GOOD.replace("/p/", "/x.y:z/")])
def test_an_id_is_any_text_without_a_slash(text):
    assert resource_name.matches_pattern(text, pattern=CHANNEL_CONFIG)
    assert say(text) == []


def test_parse_names_the_ids():
    ids = {"project": "p", "location": "l", "brand": "b", "channelConfig": "c"}
    assert resource_name.parse(GOOD, pattern=CHANNEL_CONFIG) == ids


def test_parse_of_what_does_not_fit():
    assert resource_name.parse(GOOD + "/", pattern=CHANNEL_CONFIG) is None


@each_of(
    [
        ("/" + GOOD, [(0, "/", "")]),
        ("//host.example/" + GOOD, [(0, "//host.example/", "")]),
        ("https://host.example/v1/" + GOOD, [(0, "https://host.example/v1/", "")]),
        (GOOD + "/", [(48, "/", "")]),
        ("projects//p/locations/l/brands/b//channelConfigs/c", [(9, "/", ""), (33, "/", "")]),
        ("project/p/locations/l/brands/b/channelConfigs/c", [(0, "project", "projects")]),
        ("Projects/p/locations/l/brands/b/channelConfigs/c", [(0, "Projects", "projects")]),
        ("projects/p/locatons/l/brands/b/channelConfigs/c", [(11, "locatons", "locations")]),
        ("projects/p/locations/l/brands/b/channel_configs/c", [(32, "channel_configs", "channelConfigs")]),
        (
            "project/p/location/l/brands/b/channelConfig/c",
            [(0, "project", "projects"), (10, "location", "locations"), (30, "channelConfig", "channelConfigs")],
        ),
        (
            "projects/p/locations/l/featureOnlineStores/b/featureViews/c",
            [(23, "featureOnlineStores", None), (45, "featureViews", None)],
        ),
        ("projects//locations/l/brands/b/channelConfigs/c", [(9, "", None)]),
        ("projects/p/locations/l/brands/b/channelConfigs/", [(47, "", None)]),
        ("projects/p/locations/l/brands/b", [(31, "", None)]),
        ("projects/p/brands/b/channelConfigs/c", [(11, "brands", None)]),
        ("projects/p/locations/l/brand/b/channelConfigs", [(23, "brand", "brands"), (45, "", None)]),
        (GOOD + "/operations/o", [(48, "/operations/o", None)]),
        ("c", [(0, "c", None)]),
        ("", [(0, "", None)]),
    ]
)
def test_the_segment_that_is_wrong(text, problems):
    assert say(text) == problems


def test_the_message_says_what_belongs_there():
    (problem,) = resource_name.check("projects/p/locations/l/brands/b", pattern=CHANNEL_CONFIG)
    assert problem.message == "the name is incomplete; add /channelConfigs/{channelConfig}"


def test_the_message_is_one_line():
    (problem,) = resource_name.check("a\n\ud800", pattern=CHANNEL_CONFIG)
    assert problem.message.startswith('"a\\n\\ud800" is not a full resource name')


SEGMENTS = st.lists(
    st.sampled_from(["projects", "locations", "brands", "channelConfigs", "p", "", "Brand", "a b"]), max_size=10
)


@given(st.one_of(st.text(), st.text("/ab"), SEGMENTS.map("/".join)))
def test_any_text_is_judged_within_its_bounds(text):
    problems = resource_name.check(text, pattern=CHANNEL_CONFIG)
    assert all(0 <= p.start <= p.end <= len(text) for p in problems)
    assert bool(problems) is not resource_name.matches_pattern(text, pattern=CHANNEL_CONFIG)


@given(SEGMENTS.map("/".join))
def test_replacing_everything_makes_it_fit(text):
    problems = resource_name.check(text, pattern=CHANNEL_CONFIG)
    if all(p.replacement is not None for p in problems):
        for p in sorted(problems, key=lambda p: -p.start):
            text = text[: p.start] + p.replacement + text[p.end :]
        assert len(resource_name.check(text, pattern=CHANNEL_CONFIG)) < max(1, len(problems))


ZONES = sorted(name.casefold() for name in zone_names())


@each_of(
    product(
        ["europe/pariss", "america/new_yrok", "asia/kolkatta", "austrlia/sidney", "x", "", "africa/lagoss"],
        [0.6, 0.75, 0.9],
    )
)
def test_the_closest_match_is_that_of_difflib(name: str, close: float) -> None:
    assert closest_name(name, ZONES, min_similarity=close) == next(iter(get_close_matches(name, ZONES, 1, close)), None)


def test_a_name_that_is_a_slip_away_is_meant_whatever_its_length() -> None:
    assert closest_name("utc+", ZONES, min_similarity=0.9) == "utc"


def test_what_cannot_be_alike_enough_is_not_compared() -> None:
    assert [name for _, name in candidates("coke", ["coka", "cola", "k", "cokecokecoke"], close=0.7)] == ["coka"]


def test_letters_count_as_often_as_they_stand() -> None:
    assert candidates("aaaa", ["abcd"], close=0.5) == []


def test_a_letter_that_stands_very_often_says_nothing() -> None:
    assert candidates("a" * 40, ["a" * 39 + "b"], close=0.9)


def test_few_of_many_are_compared() -> None:
    assert len(candidates("item", [f"item{number}" for number in range(1000)], close=0.1)) == MAX_COMPARED


def test_a_name_of_great_length_is_like_none() -> None:
    name = "a" * (MAX_LENGTH + 1)
    assert closest_name(name, [name], min_similarity=0.5) is None


def test_names_that_share_rare_pairs_of_letters_come_first() -> None:
    index = NameIndex(["fries", *(f"item number {number}" for number in range(1000))])
    assert index.similar_names("freis number 7")[0] == "fries"


def test_many_names_are_not_all_looked_at() -> None:
    assert len(NameIndex(f"item {number}" for number in range(1000)).similar_names("item")) == MAX_CANDIDATES


def test_a_very_long_text_is_no_misspelt_name() -> None:
    assert suggest("a" * 1_000_000, ["a" * 1_000_000]) is None
