"""One policy that has been read and found sound."""

from __future__ import annotations

from trialrun.diagnostic import Severity
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy import GROUP
from trialrun.lint.rule import Rule
from trialrun.values.cel.field_presence import Reads


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: what it looks at, what must be true there, and what to say where it is not.

    `check` and `message_expression` are the texts as the engine evaluates them over mappings; `at` leads from the
    message to where a finding points; `reads` is what both read of messages. `line` is where it stands in `path`.
    """

    id: str
    on: str
    at: tuple[str, ...]
    severity: Severity
    check: str
    reads: Reads
    reads_path: bool
    message: str
    message_expression: str | None
    doc: str
    path: str
    line: int


def rule_of(policy: Policy) -> Rule:
    """A policy as a rule, for what lists rules, selects them and shows their pages."""
    doc = policy.doc or f"{policy.message[:1].upper()}{policy.message[1:]}."
    return Rule(policy.id, GROUP, policy.severity, True, {}, (), (), policy.path, doc)
