"""Settings of a workspace, and the rules enabled for each path."""

from trialrun.lint.settings.loader import read_settings
from trialrun.lint.settings.resolver import Profiles, expanded
from trialrun.lint.settings.settings import IgnoreTable, Override, Settings

__all__ = ["IgnoreTable", "Override", "Profiles", "Settings", "expanded", "read_settings"]
