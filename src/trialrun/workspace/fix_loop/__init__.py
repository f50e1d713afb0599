"""Fixes made in files: round by round, each round checked as a whole, until nothing is left to fix."""

from trialrun.workspace.fix_loop.file import FixedFile
from trialrun.workspace.fix_loop.rounds import FixResult, fix_until_stable

__all__ = ["FixResult", "FixedFile", "fix_until_stable"]
