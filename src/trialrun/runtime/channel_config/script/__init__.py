"""Session scripts: a line for each turn, for script files and the interactive prompt."""

from __future__ import annotations

from trialrun.runtime.channel_config.script.format import format_actions
from trialrun.runtime.channel_config.script.line import ScriptError, ScriptLine, ScriptMistake
from trialrun.runtime.channel_config.script.parse import parse, parse_setting, split_settings
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
