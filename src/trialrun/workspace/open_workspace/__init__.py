"""A workspace that stays open while it is edited: texts of an editor lie over those on disk, and verdicts follow."""

from trialrun.workspace.open_workspace.lint_queue import Interrupted
from trialrun.workspace.open_workspace.open_workspace import Live
from trialrun.workspace.open_workspace.parsed_file import Part, Reading, Spot

__all__ = ["Interrupted", "Live", "Part", "Reading", "Spot"]
