"""The library: what `import trialrun` offers. `trialrun docs library` is its page."""

from trialrun.api.checks import Report, check
from trialrun.api.workspace import DocumentErrors, Workspace, open_workspace

__all__ = ["DocumentErrors", "Report", "Workspace", "check", "open_workspace"]
