"""Session scripts: a line for each turn, for script files and the interactive prompt."""

from __future__ import annotations

from trialrun.runtime.channel_config.script.parse import (
    ScriptError,
    ScriptLine,
    ScriptMistake,
    format_actions,
    parse,
    parse_setting,
    split_settings,
)
from trialrun.runtime.channel_config.script.verbs import VERBS

__all__ = [
    "VERBS",
    "ScriptError",
    "ScriptLine",
    "ScriptMistake",
    "format_actions",
    "parse",
    "parse_setting",
    "split_settings",
]
