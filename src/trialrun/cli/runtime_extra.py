"""The libraries of trial runs, which the base install does not have."""

from __future__ import annotations

from importlib.util import find_spec

from trialrun.errors import UsageError


def require_runtime(deed: str, *libraries: str, extra: str = "runtime") -> None:
    """Raise UsageError, which says what to install, where a library is not there."""
    missing = [library for library in libraries if find_spec(library) is None]
    if missing:
        raise UsageError(
            f"{deed} needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed; "
            f"install trialrun[{extra}]"
        )
