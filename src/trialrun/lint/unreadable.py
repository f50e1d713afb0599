"""A file that could not be read at all: the subject of the rule `unreadable-file`."""

from __future__ import annotations

from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that the workspace could not open or read, and the system's reason."""

    path: str
    reason: str
