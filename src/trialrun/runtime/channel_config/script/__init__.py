"""What a customer does, written down: a language of lines, each of them a turn, for scripts and for typing."""

from __future__ import annotations

from trialrun.runtime.channel_config.script.format import written
from trialrun.runtime.channel_config.script.line import Mistake, ScriptError, ScriptLine
from trialrun.runtime.channel_config.script.parse import divided, parse, path_and_value
from trialrun.runtime.channel_config.script.verbs import VERBS

__all__ = ["VERBS", "Mistake", "ScriptError", "ScriptLine", "divided", "parse", "path_and_value", "written"]
