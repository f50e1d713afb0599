"""A valid policy."""

from __future__ import annotations

from trialrun.diagnostic import Severity
from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.field_presence import FieldReads


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: what it looks at, what must be true there, and what to say where it is not.

    `check` and `message_expression` are the texts as the engine evaluates them over mappings; `at` leads from the
    message to where a finding points; `reads` is what both read of messages. `line` is where it is in `path`.
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
