"""Ids of rules are completed in comments that ignore them."""

from __future__ import annotations

from collections.abc import Callable

Labels = Callable[..., list[str]]
After = Callable[..., str]

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
