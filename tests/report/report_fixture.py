"""Sources with marks, so that a test shows where its diagnostics are.

`«` and `»` stand around what is wrong, `‹` and `›` around what it has to do with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from trialrun.diagnostic import Diagnostic, Range, RelatedLocation, ResolvedFix, Severity
from trialrun.report.interface import Run, Summary
from trialrun.text import Source

SIGNS = re.compile("[«»‹›]")


def diagnostic(
    files: Mapping[str, str],
    message: str,
    *,
    rule: str = "some-rule",
    severity: Severity = Severity.ERROR,
    related: tuple[str, ...] = (),
    help: str | None = None,
    fix: ResolvedFix | None = None,
) -> Diagnostic:
    """A diagnostic at the marks of the files; the related places take their messages in the order of the files."""
    own = next((path, place) for path, text in files.items() for place in _places(text, "«»"))
    others = [(path, place) for path, text in files.items() for place in _places(text, "‹›")]
    places = tuple(RelatedLocation(words, path, place) for words, (path, place) in zip(related, others, strict=True))
    return Diagnostic(rule, severity, message, own[0], own[1], related=places, help=help, fix=fix)


def run(files: Mapping[str, str], *diagnostics: Diagnostic, checked: int | None = None) -> Run:
    """A run over the files, their marks taken away."""
    sources = {path: Source(path, SIGNS.sub("", text)) for path, text in files.items()}
    errors, warnings, notes = (
        sum(found.severity == severity for found in diagnostics)
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    )
    summary = Summary(files=len(files), errors=errors, warnings=warnings, notes=notes)
    return Run(diagnostics, sources.get, replace(summary, files=checked or len(files)), "0")


def _places(text: str, signs: str) -> Iterator[Range]:
    source = Source("", SIGNS.sub("", text))
    for match in re.finditer(f"{signs[0]}([^{signs}]*){signs[1]}", text):
        start = len(SIGNS.sub("", text[: match.start()]))
        yield Range(source.position(start), source.position(start + len(SIGNS.sub("", match[0]))))
