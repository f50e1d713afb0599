"""Outlines of configs say what the runtime takes them to set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_of
from trialrun.lint.rule_support.config_summary import format_value, summarize
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY
from trialrun.model.validate import validate
from trialrun.parser import parse
from trialrun.runtime.channel_config.effective import plain_config

CHANNELS = Path(__file__).parent.parent.parent / "fixtures" / "workspaces" / "burger-brand" / "channels"
CONFIGS = [
    validate(document.value, ChannelConfig).node
    for path in sorted(CHANNELS.iterdir())
    for document in parse(path.read_bytes(), path.name).documents
]


def keys(value: Any, field: str = "") -> Any:
    """The fields that are set, items only of lists whose items are told apart; names of strategies are left out."""
    if isinstance(value, dict):
        labels = ("displayName", "description") if field == "operationsConfig" else ()
        return {name: keys(one, name) for name, one in value.items() if name not in labels}
    return [keys(one) for one in value] if field in ("upsells", "greetings") else isinstance(value, list)


@each_of(CONFIGS)
def test_an_outline_has_the_fields_that_the_runtime_sees(config: ChannelConfig) -> None:
    assert keys(summarize(config, without=CHANNEL_CONFIG_IDENTITY).value) == keys(plain_config(config))


@pytest.mark.parametrize(
    "value",
    [
        {"tone": "FRENDLY"},
        {"operationsConfig": {"greetings": [7, {"languageCode": "en"}]}},
        {"operationsConfig": {"disambiguationStrategy": {"mappings": [{"type": "SINGLE_TARGET", "targets": [7]}]}}},
    ],
)
def test_an_outline_says_that_some_of_the_config_was_refused(value: dict[str, Any]) -> None:
    assert summarize(validate(value, ChannelConfig).node).is_partial


def test_a_long_value_is_shown_by_its_beginning() -> None:
    config = {"supplementalInstructions": {"freeformInstructions": "Keep it short: people are hungry, and so are you."}}
    told = summarize(validate(config, ChannelConfig).node).value["supplementalInstructions"]["freeformInstructions"]
    assert format_value(told) == '"Keep it short: people ar…"'
    assert [format_value(one) for one in ("FRIENDLY", 3, False)] == ['"FRIENDLY"', "3", "false"]
