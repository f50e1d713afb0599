"""Values of enums, booleans and kinds are completed, and time zones and language tags inside their texts."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.lsp.completion.conftest import After, Ask, Labels, Told
from trialrun.lsp.features.completion import completion
from trialrun.parser import parse
from trialrun.workspace.open_workspace import OpenWorkspace
from trialrun.workspace.open_workspace.catalog_cache import brands


def test_an_enum_offers_its_values_without_the_unspecified_one(labels: Labels) -> None:
    assert labels("kind: ChannelConfig\ntone: ¦\n") == ["CONCISE_AND_DIRECT", "PROFESSIONAL_AND_FORMAL", "FRIENDLY"]


def test_a_value_below_its_key_is_completed(labels: Labels) -> None:
    assert labels("kind: ChannelConfig\ntype:\n  ¦\n") == ["UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"]


def test_a_boolean_is_true_or_false(labels: Labels) -> None:
    assert labels("kind: FeatureView\nsyncConfig:\n  continuous: ¦\n") == ["true", "false"]


def test_the_kinds_are_offered(labels: Labels) -> None:
    assert labels("kind: Fea¦\n")[:2] == ["FeatureView", "ChannelConfig"]


def test_a_value_takes_the_place_of_the_whole_word(after: After) -> None:
    assert after("kind: ChannelConfig\ntone: CON¦CISE\n", "FRIENDLY") == "kind: ChannelConfig\ntone: FRIENDLY\n"


def test_a_value_of_json_is_quoted(after: After) -> None:
    text = '{"kind": "ChannelConfig", "tone": ¦}'
    assert after(text, "FRIENDLY", "edited.json") == '{"kind": "ChannelConfig", "tone": "FRIENDLY"}'


def test_a_value_in_quotes_keeps_them(after: After) -> None:
    assert after("kind: ChannelConfig\ntone: '¦'\n", "FRIENDLY") == "kind: ChannelConfig\ntone: 'FRIENDLY'\n"


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n", "\r\nname: x\r\n"])
def test_a_quote_that_is_not_closed_ends_with_its_line(after: After, end: str) -> None:
    assert after(f"kind: ChannelConfig\ntone: 'FR¦{end}", "FRIENDLY") == f"kind: ChannelConfig\ntone: 'FRIENDLY{end}"


@pytest.mark.parametrize("end", ["\n}\n", '\n  "name": "x"\n}\n', '\r\n  "name": "x"\r\n}\r\n'])
def test_a_quote_of_json_that_is_not_closed_ends_with_its_line(after: After, labels: Labels, end: str) -> None:
    text = f'{{\n  "kind": "ChannelConfig",\n  "tone": "FR¦{end}'
    assert after(text, "FRIENDLY", "edited.json") == text.replace("FR¦", "FRIENDLY")
    assert "type" in labels(text.replace('tone": "FR', "ty"), "edited.json")


def test_free_text_has_no_completions(labels: Labels) -> None:
    assert labels("kind: ChannelConfig\ndisplayName: ¦\n") == []


def yaml_value(text: str) -> Any:
    return parse(text.encode(), "a.yaml").documents[0].value


CRON = "kind: FeatureView\nsyncConfig:\n  cron: "
CONFIG = "kind: ChannelConfig\noperationsConfig:\n  "


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        ("CRON_TZ=America/Ne¦", "CRON_TZ=America/New_York"),
        ("TZ=New_Y¦ 0 3 * * *", "TZ=America/New_York 0 3 * * *"),
        ('"CRON_TZ=America/Ne¦ 0 3 * * *"', '"CRON_TZ=America/New_York 0 3 * * *"'),
        ("'CRON_TZ=¦'", "'CRON_TZ=America/New_York'"),
        ('"CRON_TZ=America/Ne¦', '"CRON_TZ=America/New_York'),
    ],
)
def test_a_time_zone_is_completed_inside_a_schedule(after: After, written: str, whole: str) -> None:
    assert after(CRON + written, "America/New_York") == CRON + whole


def test_a_zone_that_has_the_letters_in_one_piece_comes_first(labels: Labels) -> None:
    assert labels(f"{CRON}CRON_TZ=Tor¦")[0] == "America/Toronto"


def test_old_names_of_zones_come_last(labels: Labels) -> None:
    zones = labels(f"{CRON}CRON_TZ=East¦")
    assert zones.index("US/Eastern") > zones.index("Pacific/Easter")


def test_a_schedule_begins_with_its_time_zone_or_as_a_whole(labels: Labels) -> None:
    assert labels(f"{CRON}¦")[:2] == ["CRON_TZ=", "0 3 * * *"]
    assert "CRON_TZ=" not in labels(f"{CRON}CRON_TZ=UTC ¦")


@pytest.mark.parametrize("style", ["", "'", '"'])
def test_a_whole_schedule_is_one(after: After, style: str) -> None:
    assert yaml_value(after(f"{CRON}{style}¦{style}\n", "*/15 * * * *"))["syncConfig"]["cron"] == "*/15 * * * *"


@pytest.mark.parametrize(
    ("written", "first"),
    [
        ("0 3 * ¦", ["*", "JAN"]),
        ("0 3 * * ¦", ["*", "SUN"]),
        ("0 3 * * MON-F¦", ["SUN", "MON"]),
        ("CRON_TZ=UTC 0 3 * JAN,¦", ["JAN"]),
        ("0 ¦", ["*", "*/2"]),
        ("'*/¦'", []),
        ("'5¦'", ["*", "*/5"]),
        ("5¦", []),
        ("C¦RON_TZ=UTC 0 3 * * *", []),
        ("0 3 * * * ¦", []),
    ],
)
def test_a_field_has_its_words(labels: Labels, written: str, first: list[str]) -> None:
    assert labels(CRON + written)[: max(len(first), 1)] == first


def test_a_day_takes_the_place_of_its_word(after: After) -> None:
    assert after(f"{CRON}0 3 * * MON-F¦RI", "SAT") == f"{CRON}0 3 * * MON-SAT"


def test_a_store_has_a_time_zone(labels: Labels) -> None:
    assert "Europe/Oslo" in labels("kind: Brand\nstores:\n  - timeZone: Os¦")


def test_tags_of_the_same_resource_come_first(labels: Labels) -> None:
    assert labels(f"{CONFIG}defaultLanguageCode: fr-CA\n  greetings:\n    - languageCode: ¦")[0] == "fr-CA"


def test_a_language_is_told_by_its_name(ask: Callable[..., list[object]]) -> None:
    found = {item.label: item.detail for item in ask(f"{CONFIG}defaultLanguageCode: d¦")}  # type: ignore[attr-defined]
    assert found["de"] == "German"


def test_a_language_is_followed_by_its_regions(after: After) -> None:
    assert after(f"{CONFIG}defaultLanguageCode: es-¦", "es-MX").endswith("defaultLanguageCode: es-MX")


def test_a_retired_region_is_not_offered(labels: Labels) -> None:
    assert "de-DD" not in labels(f"{CONFIG}defaultLanguageCode: de-¦")


def test_languages_of_the_workspace_come_next(opened: Callable[..., OpenWorkspace]) -> None:
    other = "kind: ChannelConfig\ntype: AGENT_CUSTOMIZATION\noperationsConfig: {defaultLanguageCode: nn}\n"
    text = f"{CONFIG}defaultLanguageCode: "
    live = opened(text, other=other)
    before = completion(live, "edited.yaml", len(text))["items"]
    brands(live)
    after = completion(live, "edited.yaml", len(text))["items"]
    assert "nn" not in [item.label for item in before[:5]]
    assert after[0].label == "nn"


# ---- rules in comments, and what is told of a completion


RULED = "kind: FeatureView\nsyncConfig:\n  cron: x  "


def test_a_comment_offers_the_rules_that_it_does_not_name(labels: Labels) -> None:
    found = labels(f"{RULED}# trialrun: ignore[cron-syntax, cr¦")
    assert "cron-uneven-step" in found
    assert not {"cron-syntax", "internal-error"} & set(found)


def test_a_rule_takes_the_place_of_the_word_at_the_cursor(after: After) -> None:
    text = f"{RULED}# trialrun: ignore[cron-¦uneven] the feed"
    assert after(text, "cron-uneven-step") == f"{RULED}# trialrun: ignore[cron-uneven-step] the feed"


def test_the_law_of_a_rule_comes_along(ask: Callable[..., list[object]]) -> None:
    found = {item.label: item.detail for item in ask("# trialrun: ignore-file[¦")}  # type: ignore[attr-defined]
    assert found["cron-syntax"].startswith("Schedule that is not a valid cron expression")


def test_a_comment_that_begins_can_become_one(after: After) -> None:
    assert after("kind: FeatureView # ¦", "trialrun: ignore[]") == "kind: FeatureView # trialrun: ignore[] <reason>"


def test_a_comment_that_begins_with_a_part_of_the_word_can_become_one(after: After) -> None:
    assert after("kind: Menu # tri¦", "trialrun: ignore[]") == "kind: Menu # trialrun: ignore[] <reason>"


def test_other_comments_are_left_alone(labels: Labels) -> None:
    assert labels("kind: FeatureView # as agreed¦") == []


def test_a_hash_in_a_text_begins_no_comment(labels: Labels) -> None:
    assert labels('kind: FeatureView\netag: "# ¦"') == []


def test_a_comment_has_a_last_day_and_an_owner(labels: Labels, after: After) -> None:
    comment = f"{RULED}# trialrun: ignore[cron-syntax]"
    assert labels(f"{comment} ¦") == ["until=", "owner="]
    assert labels(f"{comment} owner=search ¦") == ["until="]
    assert labels(f"{comment} until=¦") == ["2026-12-20", "2027-02-18", "2027-05-19"]
    assert after(f"{comment} u¦ the feed", "until=").endswith("[cron-syntax] until= the feed")
    assert labels(f"{comment} the feed¦") == []


def test_a_field_has_the_words_of_the_specification(told: Told) -> None:
    assert "before the cron expression" in str(told("kind: FeatureView\nsyncConfig:\n  ¦\n", "cron"))


def test_a_rule_has_its_page(told: Told) -> None:
    assert str(told("# trialrun: ignore-file[¦", "cron-syntax")).startswith("# cron-syntax")


def test_a_zone_has_its_offset(told: Told) -> None:
    assert "UTC-05:00 (EST) now" in str(told("kind: Brand\nstores:\n  - timeZone: New_Y¦", "America/New_York"))


def test_what_is_told_of_a_language_has_its_name(told: Told) -> None:
    assert "German" in str(told("kind: ChannelConfig\noperationsConfig:\n  defaultLanguageCode: d¦", "de"))


def test_the_list_itself_is_short(ask: Ask) -> None:
    """Each item is asked about one by one, so the pages of a hundred rules are not sent."""
    assert max(len(repr(item)) for item in ask("# trialrun: ignore-file[¦")) < 500
