"""Reports a failing policy once per run, at the first location."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trialrun.diagnostic import Diagnostic, Finding, SymbolicLocation
from trialrun.lint.policy.policy import Policy
from trialrun.model.node import Node

_FAILED = re.compile(r"the policy (\S+) \(.*:\d+\) failed here: ")


def failure_finding(policy: Policy, error: str, node: Node) -> Finding:
    """The finding that reports the failure of a policy on a message."""
    message, help_ = failure_texts(policy, error)
    return Finding(message, SymbolicLocation(node), help=help_)


def failure_texts(policy: Policy, error: str) -> tuple[str, str]:
    """The message that reports the failure of a policy, and its help."""
    message = f"the policy {policy.id} ({policy.path}:{policy.line}) failed here: {error}; fix its check"
    return message, f"leave it out with --ignore {policy.id} until it is fixed"


def first_failures(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The diagnostics in order, with only the first failure of each policy."""
    seen: set[str] = set()
    for diagnostic in diagnostics:
        failed = _FAILED.match(diagnostic.message) if diagnostic.rule == "internal-error" else None
        if failed is None or failed[1] not in seen:
            yield diagnostic
        if failed is not None:
            seen.add(failed[1])
