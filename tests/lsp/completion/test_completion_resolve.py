"""What is told of a completion when a person looks at it."""

from __future__ import annotations

from collections.abc import Callable

from trialrun.lsp.results import Completion

Told = Callable[..., str | None]
Ask = Callable[..., list[Completion]]


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
