"""The libraries that a command needs, and that the base install does not have."""

from __future__ import annotations

from trialrun.errors import UsageError
from trialrun.extras import missing_libraries


def require_libraries(deed: str, extra: str, *libraries: str) -> None:
    """Raise UsageError, which says what to install, where a library is not there."""
    if missing := missing_libraries(deed, extra, *libraries):
        raise UsageError(missing)
