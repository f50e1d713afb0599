"""A valid policy."""

from __future__ import annotations

from trialrun.diagnostic import Severity
from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.field_presence import FieldReads


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: the message it checks, the condition that must hold, and the text of its findings.

    `check` and `message_expression` are the expressions that the engine evaluates; `at` leads from the message to the
    location of a finding; `reads` are the fields that both read. `line` is its line in `path`.
    """

    id: str
    on: str
    at: tuple[str, ...]
    severity: Severity
    check: str
    reads: FieldReads
    reads_path: bool
    message: str
    message_expression: str | None
    doc: str
    path: str
    line: int
