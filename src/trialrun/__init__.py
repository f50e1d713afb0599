"""Lint FeatureView and ChannelConfig files, and give them a trial run before production does.

As a library: `check` gives the verdicts of `trialrun check`, `open_workspace` the documents of a workspace with the
trial runs of its views and stores (`trialrun docs library`).
"""

from __future__ import annotations

from trialrun.version import HOME_PAGE, __version__

TYPE_CHECKING = False  # as type checkers read it; importing typing takes a third of the time of `trialrun --version`
if TYPE_CHECKING:
    from typing import Any

    from trialrun.api.checks import Report, check
    from trialrun.api.workspace import DocumentErrors, Workspace, open_workspace
    from trialrun.diagnostic import Diagnostic, Severity
    from trialrun.errors import UsageError

__all__ = [
    "HOME_PAGE",
    "Diagnostic",
    "DocumentErrors",
    "Report",
    "Severity",
    "UsageError",
    "Workspace",
    "__version__",
    "check",
    "open_workspace",
]
_MODULES = {
    "Diagnostic": "trialrun.diagnostic",
    "Severity": "trialrun.diagnostic",
    "UsageError": "trialrun.errors",
    "Report": "trialrun.api.checks",
    "check": "trialrun.api.checks",
}


def __getattr__(name: str) -> Any:
    """What is public, imported when it is first asked for: the command line does not pay for the library."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES.get(name, "trialrun.api.workspace")), name)
