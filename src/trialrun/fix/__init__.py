"""Fixes: turns symbolic operations into minimal, verified text edits, or refuses with a reason.

Decisions: docs/decisions/linter.md
"""

from __future__ import annotations

from trialrun.fix.canonical_yaml import render_scalar
from trialrun.fix.resolve import apply_fixes, fixed_text, resolve_fix
from trialrun.fix.target import Unfixable

__all__ = ["Unfixable", "apply_fixes", "fixed_text", "render_scalar", "resolve_fix"]
