"""What the base install does not have: which library is missing, and the command that installs it."""

from __future__ import annotations

from importlib.util import find_spec


def install_command(extra: str) -> str:
    """The command that adds an extra. It needs no index that has trialrun: pip takes the trialrun that is installed."""
    return f"pip install 'trialrun[{extra}]'"


def needs_libraries(deed: str, extra: str, *missing: str) -> str:
    """Why something cannot be done, such as `sync needs duckdb, which is not installed; run pip install …`."""
    are = "is" if len(missing) == 1 else "are"
    return f"{deed} needs {' and '.join(missing)}, which {are} not installed; run {install_command(extra)}"


def missing_libraries(deed: str, extra: str, *libraries: str) -> str:
    """Why something cannot be done; empty where all libraries are there, which are not imported."""
    missing = [library for library in libraries if find_spec(library) is None]
    return needs_libraries(deed, extra, *missing) if missing else ""
