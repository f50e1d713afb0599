"""Settings of a workspace, and the rules enabled for each path."""

from trialrun.lint.settings.loader import read_settings
from trialrun.lint.settings.resolver import IgnoreTable, Profiles, Settings, expanded

__all__ = ["IgnoreTable", "Profiles", "Settings", "expanded", "read_settings"]
