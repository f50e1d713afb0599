"""Policies of tests, read from texts and judged on texts."""

from datetime import datetime
from textwrap import dedent
from typing import Any

from trialrun.diagnostic import Diagnostic
from trialrun.errors import UsageError
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.policy import Policies
from trialrun.lint.policy.packs import PolicyFile, read_policies
from trialrun.lint.rule import session_types
from trialrun.lint.selection import Selection


def read(*texts: str) -> Policies:
    """The policies of files called 0.yaml, 1.yaml and so on."""
    files = (PolicyFile(f"/{at}.yaml", f"{at}.yaml", dedent(text).encode()) for at, text in enumerate(texts))
    return read_policies(tuple(files))


def problems(*texts: str) -> list[str]:
    """What is wrong in files of policies, `line:column-column message`."""
    try:
        read(*texts)
    except UsageError as error:
        return [_told(diagnostic) for diagnostic in error.diagnostics]
    return []


def _told(diagnostic: Diagnostic) -> str:
    return (
        f"{diagnostic.range.start.line}:{diagnostic.range.start.column}-{diagnostic.range.end.column} "
        f"{diagnostic.message}"
    )


def policy(check: str, *, on: str = "FeatureView", more: str = "") -> Policies:
    """One policy, called p, whose message is m."""
    return read(f"id: p\non: {on}\nmessage: m\ncheck: |-\n  {check}\n{more}")


def linter_of(policies: Policies, *rules: str, now: datetime = EXAMPLE_TIME, **settings: Any) -> Linter:
    """What runs policies, and some rules."""
    selection = Selection(frozenset({*policies.rules, *rules}), policies=policies, **settings)
    return Linter(selection, now=now, session_types=lambda: session_types(()))


def found(policies: Policies, text: str, part: str | None = None, *, path: str = "a.yaml") -> list[Diagnostic]:
    """What policies, and the rules about misfits, say of a text: of a whole file, or of a part of a resource."""
    linter = linter_of(policies, "wrong-type", "unknown-field", "syntax-error")
    data = dedent(text).encode()
    return (linter.lint_message(data, path, part) if part else linter.lint(data, path)).diagnostics


def told(policies: Policies, text: str, part: str | None = None) -> list[str]:
    """The same as `line:column rule message`."""
    return [
        f"{finding.range.start.line}:{finding.range.start.column} {finding.rule} {finding.message}"
        for finding in found(policies, text, part)
    ]
