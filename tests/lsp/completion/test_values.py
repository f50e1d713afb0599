"""Values of enums, booleans and kinds are completed."""

from __future__ import annotations

from collections.abc import Callable

Labels = Callable[..., list[str]]
After = Callable[..., str]


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


def test_free_text_has_no_completions(labels: Labels) -> None:
    assert labels("kind: ChannelConfig\ndisplayName: ¦\n") == []
