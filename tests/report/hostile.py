"""Runs that a format must write without harm: odd places, odd paths, odd texts, texts that are gone."""

from __future__ import annotations

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
