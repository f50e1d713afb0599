"""A valid policy."""

from __future__ import annotations

from typing import Literal

from trialrun.diagnostic import Severity
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy.parameters import Parameter
from trialrun.values.cel.cost import Work
from trialrun.values.cel.field_presence import FieldReads

Scope = Literal["document", "workspace"]
MAX_TEXT = 1_000
"""Characters of the text of a finding: a file may have a long text that is in the findings of all its messages."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: the message it checks, the condition that must hold, and the text of its findings.

    `check` and `message_expression` are the expressions that the engine evaluates; `at` leads from the message to the
    location of a finding; `reads` are the fields that both read. `line` is its line in `path`. `uses_functions` means
    that an expression calls functions other than those of CEL, `uses_date` that it depends on the day of the run. In
    the scope of a workspace, `kinds` are those of the documents that it reads, and of messages with the same value of
    `once` only the first has a finding. `work` is what each expression does.
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
    parameters: tuple[Parameter, ...] = ()
    uses_functions: bool = False
    uses_date: bool = False
    scope: Scope = "document"
    kinds: tuple[str, ...] = ()
    once: str | None = None
    work: tuple[Work, ...] = ()

    def finding_text(self, text: str) -> str:
        """The text of a finding from what `message_expression` gives: one line, cut where it is long."""
        line = " ".join(text[: 2 * MAX_TEXT].split()) or self.message
        return line if len(line) <= MAX_TEXT and len(text) <= 2 * MAX_TEXT else f"{line[: MAX_TEXT - 1]}…"

    @property
    def stands_alone(self) -> bool:
        """Whether it is evaluated apart from others: variables and work of its own."""
        return self.uses_functions or self.uses_date or bool(self.parameters)
