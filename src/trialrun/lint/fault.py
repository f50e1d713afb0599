"""A fault of ours while a file was linted: the subject of the rule `internal-error`."""

from __future__ import annotations

from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """The rule that failed, and the exception that it raised."""

    rule: str
    error: Exception
