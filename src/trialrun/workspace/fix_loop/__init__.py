"""Fixes made in files: round by round, each round checked as a whole, until nothing is left to fix."""

from trialrun.workspace.fix_loop.file import MendedFile
from trialrun.workspace.fix_loop.rounds import Mending, mended

__all__ = ["MendedFile", "Mending", "mended"]
