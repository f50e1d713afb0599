"""Symbolic operations into the smallest text edits, or a refusal that says why."""

from __future__ import annotations

from trialrun.fix.apply import Applied, applied, made_together
from trialrun.fix.resolve import text_fix
from trialrun.fix.scalar_style import rendered
from trialrun.fix.unfixable import Refused

__all__ = ["Applied", "Refused", "applied", "made_together", "rendered", "text_fix"]
