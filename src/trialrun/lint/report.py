"""What linting one file gave, small enough to be kept and sent between processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from trialrun.diagnostic import Diagnostic, Range


@dataclass(frozen=True, slots=True)
class Fact:
    """What a rule across files knows of one document: a value that JSON can hold, and the place it stands at."""

    rule: str
    value: Any
    path: str
    document: int
    pointer: str
    range: Range
    resource: str


@dataclass(slots=True)
class Report:
    """What linting one file gave.

    `asked_session` and `asked_day` say that the verdict depends on the workspace's SessionSchema documents and on the
    day; `internal` that it tells a fault of ours.
    """

    path: str
    documents: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    asked_session: bool = False
    asked_day: bool = False
    internal: bool = False
