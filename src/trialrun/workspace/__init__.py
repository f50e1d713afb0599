"""Checking the files of a workspace: the common entry point of command line, editor server, hooks and service.

Decisions: docs/decisions/linter.md
"""

from trialrun.workspace.check import CheckResult, check
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.discovery import UnknownPath, workspace_root

__all__ = ["CheckRequest", "CheckResult", "UnknownPath", "check", "workspace_root"]
