"""The concise report and the summary line."""

from __future__ import annotations

from tests.cases import each_of
from tests.report.report_fixture import diagnostic, run
from trialrun.diagnostic import Diagnostic, ResolvedFix, Severity
from trialrun.report.color import painter
from trialrun.report.concise import report
from trialrun.report.interface import Run, Summary
from trialrun.report.summary import summary

FILES = {"a.yaml": "a: «1»\n", "b.yaml": "b: «2»\n"}
SAFE, UNSAFE = ResolvedFix("mend", True, ()), ResolvedFix("mend", False, ())


def at(path: str, severity: Severity = Severity.ERROR, fix: ResolvedFix | None = None) -> Diagnostic:
    return diagnostic({path: FILES[path]}, "it is wrong", severity=severity, fix=fix)


def test_one_line_for_every_finding() -> None:
    whole = run(FILES, at("a.yaml"), at("b.yaml", Severity.WARNING))
    assert "".join(report(whole)).splitlines() == [
        "a.yaml:1:4: error some-rule it is wrong",
        "b.yaml:1:4: warning some-rule it is wrong",
        "1 error, 1 warning in 2 files",
    ]


def test_line_breaks_and_controls_do_not_make_more_lines() -> None:
    files = {"a\nb.yaml": "a: «1»\n"}
    whole = run(files, diagnostic(files, "one\r\ntwo\u2028three \x1b[31m"))
    assert next(iter(report(whole))) == r"a\nb.yaml:1:4: error some-rule one\r\ntwo\u2028three \x1b[31m" + "\n"


def test_colours_add_nothing_but_colours() -> None:
    whole = run(FILES, at("a.yaml"))
    assert next(iter(report(whole, color=True))) == (
        "\x1b[36ma.yaml:1:4\x1b[0m: \x1b[1;31merror\x1b[0m \x1b[1msome-rule\x1b[0m it is wrong\n"
    )


ONE, TWO = [at("a.yaml")], [at("a.yaml"), at("b.yaml")]


@each_of(
    [
        ([], Summary(), "no files checked"),
        ([], Summary(files=1), "1 file checked, nothing found"),
        ([], Summary(files=14), "14 files checked, nothing found"),
        ([], Summary(files=14, suppressed=2), "14 files checked, nothing found (2 suppressed)"),
        ([], Summary(files=14, baselined=5), "14 files checked, nothing found (5 in the baseline)"),
        (ONE, Summary(1, 0, 1, suppressed=2, baselined=5), "1 error in 1 file (2 suppressed; 5 in the baseline)"),
        (ONE, Summary(files=1, errors=1), "1 error in 1 file"),
        (ONE, Summary(files=0, errors=1), "1 error in 1 file"),
        (ONE, Summary(files=14, errors=1), "1 error in 1 of 14 files"),
        (TWO, Summary(files=2, errors=2), "2 errors in 2 files"),
        (TWO, Summary(files=14, errors=3, warnings=1), "3 errors, 1 warning in 2 of 14 files"),
        (TWO, Summary(files=14, warnings=2, notes=1), "2 warnings, 1 note in 2 of 14 files"),
        ([at("a.yaml", fix=SAFE)], Summary(files=1, errors=1), "1 error in 1 file (1 fixable with --fix)"),
        (
            [at("a.yaml", fix=SAFE), at("b.yaml", fix=UNSAFE)],
            Summary(files=2, errors=2, suppressed=3),
            "2 errors in 2 files (1 fixable with --fix, 1 more with --unsafe-fixes; 3 suppressed)",
        ),
        ([at("a.yaml", fix=UNSAFE)], Summary(files=1, errors=1), "1 error in 1 file (1 fixable with --unsafe-fixes)"),
    ]
)
def test_the_summary(found: list[Diagnostic], counts: Summary, line: str) -> None:
    assert summary(Run(found, {}.get, counts, "0"), paint=painter(color=False), width=100) == line + "\n"
