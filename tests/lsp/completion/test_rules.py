"""Ids of rules are completed in comments that ignore them; what is told of a completion when a person looks at it."""

from __future__ import annotations

from collections.abc import Callable

from tests.lsp.completion.conftest import After, Ask, Labels, Told

VIEW = "kind: FeatureView\nsyncConfig:\n  cron: x  "


def test_a_comment_offers_the_rules_that_it_does_not_name(labels: Labels) -> None:
    found = labels(f"{VIEW}# trialrun: ignore[cron-syntax, cr¦")
    assert "cron-uneven-step" in found
    assert not {"cron-syntax", "internal-error"} & set(found)


def test_a_rule_takes_the_place_of_the_word_at_the_cursor(after: After) -> None:
    text = f"{VIEW}# trialrun: ignore[cron-¦uneven] the feed"
    assert after(text, "cron-uneven-step") == f"{VIEW}# trialrun: ignore[cron-uneven-step] the feed"


def test_the_law_of_a_rule_comes_along(ask: Callable[..., list[object]]) -> None:
    found = {item.label: item.detail for item in ask("# trialrun: ignore-file[¦")}  # type: ignore[attr-defined]
    assert found["cron-syntax"].startswith("Schedule that is not a valid cron expression")


def test_a_comment_that_begins_can_become_one(after: After) -> None:
    assert after("kind: FeatureView # ¦", "trialrun: ignore[]") == "kind: FeatureView # trialrun: ignore[] <reason>"


def test_other_comments_are_left_alone(labels: Labels) -> None:
    assert labels("kind: FeatureView # as agreed¦") == []


def test_a_hash_in_a_text_begins_no_comment(labels: Labels) -> None:
    assert labels('kind: FeatureView\netag: "# ¦"') == []


def test_a_comment_has_a_last_day_and_an_owner(labels: Labels, after: After) -> None:
    comment = f"{VIEW}# trialrun: ignore[cron-syntax]"
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


def test_a_language_has_its_name(told: Told) -> None:
    assert "German" in str(told("kind: ChannelConfig\noperationsConfig:\n  defaultLanguageCode: d¦", "de"))


def test_the_list_itself_is_short(ask: Ask) -> None:
    """Each item is asked about one by one, so the pages of a hundred rules are not sent."""
    assert max(len(repr(item)) for item in ask("# trialrun: ignore-file[¦")) < 500
