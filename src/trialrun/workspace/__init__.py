"""The files of a repository and their verdicts: the one door for command line, editor server, hook and service."""

from trialrun.workspace.check import Outcome, Request, check
from trialrun.workspace.discovery import UnknownPath, workspace_root

__all__ = ["Outcome", "Request", "UnknownPath", "check", "workspace_root"]
