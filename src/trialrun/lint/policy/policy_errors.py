"""What is wrong in policy files: all of it, each with its place, told as a wrong use of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import positions
from trialrun.text import Source, Span

WORD = "policy"
"""What stands in the place of a rule where a problem is shown."""


class BrokenPolicies(UsageError):
    """Policy files that cannot be used; `diagnostics` say what is wrong where, `sources` are their texts by path."""

    def __init__(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source]) -> None:
        ordered = sorted(diagnostics, key=lambda one: one.order)
        super().__init__("; ".join(_line(one) for one in ordered))
        self.diagnostics, self.sources = ordered, sources


def _line(one: Diagnostic) -> str:
    return f"{one.path}:{one.range.start.line}:{one.range.start.column}: {one.message}"


@dataclass(slots=True)
class Problems:
    """The problems found so far, and the texts that they are about."""

    found: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)

    def tell(self, source: Source, span: Span, message: str) -> None:
        """Something wrong at the characters of a file."""
        self.sources[source.path] = source
        self.found.append(Diagnostic(WORD, Severity.ERROR, message, source.path, positions.range_of(source, span)))

    def close(self) -> None:
        """Raise BrokenPolicies if there is any problem."""
        if self.found:
            raise BrokenPolicies(self.found, self.sources)
