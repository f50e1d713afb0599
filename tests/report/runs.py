"""Runs for reports: sources with marks, so that a test shows where its diagnostics are, and what is odd or gone.

`«` and `»` stand around what is wrong, `‹` and `›` around what it has to do with.
"""

import re
from collections.abc import Iterator, Mapping

from trialrun.diagnostic import (
    Diagnostic,
    Position,
    Range,
    RelatedLocation,
    ResolvedFix,
    Severity,
    Suppressed,
    TextEdit,
)
from trialrun.report.interface import Run, Sources, Summary
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
    return Run(diagnostics, sources.get, summary._replace(files=checked or len(files)), "0")


def _places(text: str, signs: str) -> Iterator[Range]:
    source = Source("", SIGNS.sub("", text))
    for match in re.finditer(f"{signs[0]}([^{signs}]*){signs[1]}", text):
        start = len(SIGNS.sub("", text[: match.start()]))
        yield Range(source.position(start), source.position(start + len(SIGNS.sub("", match[0]))))


# ---- runs that a format must write without harm: odd places, odd paths, odd texts, texts that are gone

TEXT = "name: «🍔» café\r\ntags: [a, b]\nlast: 1"
ODD_TEXT = (
    "\x00\x1b[31m \ud800 \udcff \u202e \u2028 \ufffe \uffff 日本語 🍔 % %0A ::error:: ]]> <&'\" \\ {0} [a](1) \r\n\tx"
)
PATHS = (
    "views/a.yaml",
    "with blank/ü 日本 🍔.yaml",
    "100%/a#b?c.yaml",
    "a:b,c.yaml",
    "back\\slash\n\x1b.yaml",
    "no-utf8-\udcff.yaml",
    "./here.yaml",
    "../beside/a.yaml",
    "/srv/far/a.yaml",
    "C:/far/a.yaml",
    "]]>&<'\".yaml",
)


def place(line: int, column: int, end_line: int, end_column: int) -> Range:
    """A range by its four numbers."""
    return Range(Position(line, column), Position(end_line, end_column))


HERE = place(1, 7, 1, 10)
PLACES = (HERE, place(1, 9, 1, 9), place(1, 11, 2, 5), place(3, 8, 3, 8), place(9, 1, 9, 4), place(1, 90, 1, 95))
SPREAD = ResolvedFix("swap them", False, (TextEdit(place(1, 7, 1, 10), ODD_TEXT), TextEdit(place(2, 8, 2, 9), "")))


def found(
    path: str = "views/a.yaml",
    where: Range = HERE,
    message: str = "it is wrong",
    *,
    rule: str = "some-rule",
    severity: Severity = Severity.ERROR,
    help: str | None = None,
    fix: ResolvedFix | None = SPREAD,
) -> Diagnostic:
    """A diagnostic with everything that one can have."""
    related = RelatedLocation(message, path, where)
    return Diagnostic(rule, severity, message, path, where, help=help, related=(related,), fix=fix, fingerprint="00ff")


def known(path: str) -> Source | None:
    """The same text for every path."""
    return Source(path, TEXT)


def gone(path: str) -> Source | None:
    """No text."""
    return None


def run_of(*diagnostics: Diagnostic, sources: Sources = known, suppressed: tuple[Suppressed, ...] = ()) -> Run:
    """A run that checked the files of its findings and one more."""
    files = [*sorted({diagnostic.path for diagnostic in diagnostics}), "zz-clean.yaml"]
    summary = Summary(len(files), errors=len(diagnostics), suppressed=len(suppressed))
    ordered = sorted(diagnostics, key=lambda one: one.sort_key)
    faulty = any(diagnostic.rule == "internal-error" for diagnostic in diagnostics)
    return Run(ordered, sources, summary, "0.1.0", suppressed=suppressed, files=files, has_internal_error=faulty)


RUNS = {
    "nothing": run_of(),
    "odd places": run_of(*(found(where=where) for where in PLACES)),
    "a text that is gone": run_of(*(found(where=where) for where in PLACES), sources=gone),
    "odd paths": run_of(*(found(path) for path in PATHS)),
    "odd texts": run_of(found(message=ODD_TEXT, help=f"first\n{ODD_TEXT}", rule="rule-of-\x1b[31ma-policy")),
    "every severity": run_of(*(found(f"{severity.word}.yaml", severity=severity) for severity in Severity)),
    "a fault of ours": run_of(found(rule="internal-error")),
    "suppressed": run_of(
        found(),
        suppressed=(Suppressed(found(), ODD_TEXT, None, "settings"), Suppressed(found(), "", "2027-01-31", "comment")),
    ),
    "many": run_of(*(found(f"{number % 40}.yaml", place(number, 1, number, 2)) for number in range(1, 1001))),
}
