"""Symbolic operations into the smallest text edits, or a refusal that says why."""

from __future__ import annotations

from trialrun.fix.apply import Applied, applied, made_together
from trialrun.fix.make import text_fix
from trialrun.fix.refusal import Refused
from trialrun.fix.written import rendered

__all__ = ["Applied", "Refused", "applied", "made_together", "rendered", "text_fix"]
