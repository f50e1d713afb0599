"""The files of a repository and their verdicts: the one door for command line, editor server, hook and service.

Decisions: docs/decisions/checking.md
"""

from trialrun.workspace.check import check
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.check_result import CheckResult
from trialrun.workspace.discovery import UnknownPath, workspace_root

__all__ = ["CheckRequest", "CheckResult", "UnknownPath", "check", "workspace_root"]
