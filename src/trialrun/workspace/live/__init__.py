"""A workspace that stays open while it is edited: texts of an editor lie over those on disk, and verdicts follow."""

from trialrun.workspace.live.lintings import Interrupted
from trialrun.workspace.live.live import Live
from trialrun.workspace.live.reading import Part, Reading, Spot

__all__ = ["Interrupted", "Live", "Part", "Reading", "Spot"]
