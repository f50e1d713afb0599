"""The fix loop: applies fixes in rounds, and checks the result of each round, until nothing is left to fix."""

from trialrun.workspace.fix_loop.file import FixedFile
from trialrun.workspace.fix_loop.rounds import FixResult, fix_until_stable

__all__ = ["FixResult", "FixedFile", "fix_until_stable"]
