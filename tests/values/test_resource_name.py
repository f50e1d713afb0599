"""Resource names: what fits a format, and which segment is wrong."""

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values import resource_name

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
    ],
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
