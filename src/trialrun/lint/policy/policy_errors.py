"""Errors in policy files: all of them with their locations, raised as one usage error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import positions
from trialrun.text import Source, Span

RULE_NAME = "policy"
"""Shown in place of a rule id."""


class InvalidPolicies(UsageError):
    """Policy files that cannot be used; `diagnostics` are the errors, `sources` the texts by path."""

    def __init__(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source]) -> None:
        ordered = sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key)
        super().__init__("; ".join(_format_line(diagnostic) for diagnostic in ordered))
        self.diagnostics, self.sources = ordered, sources


def _format_line(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.path}:{diagnostic.range.start.line}:{diagnostic.range.start.column}: {diagnostic.message}"


@dataclass(slots=True)
class PolicyErrors:
    """Collects errors, and the texts that they are in."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)

    def add(self, source: Source, span: Span, message: str) -> None:
        """Add an error at some characters of a file."""
        self.sources[source.path] = source
        self.diagnostics.append(
            Diagnostic(RULE_NAME, Severity.ERROR, message, source.path, positions.range_of(source, span))
        )

    def raise_if_any(self) -> None:
        """Raise InvalidPolicies if there are errors."""
        if self.diagnostics:
            raise InvalidPolicies(self.diagnostics, self.sources)
