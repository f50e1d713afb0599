"""The formats of the reports of a check, each as its readers expect it."""

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.cases import each_of
from tests.report.runs import HERE, ODD_TEXT, PATHS, RUNS, TEXT, diagnostic, found, gone, place, run, run_of
from trialrun.diagnostic import Diagnostic, Position, Range, RelatedLocation, ResolvedFix, Severity, TextEdit
from trialrun.report.color import painter
from trialrun.report.concise import report
from trialrun.report.github import report as github_report
from trialrun.report.gitlab import report as gitlab_report
from trialrun.report.interface import Run, Summary
from trialrun.report.json import report as json_report
from trialrun.report.junit import report as junit_report
from trialrun.report.rdjson import report as rdjson_report
from trialrun.report.summary import summary
from trialrun.report.terminal_width import escape_controls

FILES = {"a.yaml": "a: «1»\n", "b.yaml": "b: «2»\n"}
SAFE, UNSAFE = ResolvedFix("mend", True, ()), ResolvedFix("mend", False, ())


def at(path: str, severity: Severity = Severity.ERROR, fix: ResolvedFix | None = None) -> Diagnostic:
    return diagnostic({path: FILES[path]}, "it is wrong", severity=severity, fix=fix)


def test_one_line_for_every_finding() -> None:
    assert "".join(report(run(FILES, at("a.yaml"), at("b.yaml", Severity.WARNING)))).splitlines() == [
        "a.yaml:1:4: error some-rule it is wrong",
        "b.yaml:1:4: warning some-rule it is wrong",
        "1 error, 1 warning in 2 files",
    ]


def test_line_breaks_and_controls_do_not_make_more_lines() -> None:
    files = {"a\nb.yaml": "a: «1»\n"}
    whole = run(files, diagnostic(files, "one\r\ntwo\u2028three \x1b[31m"))
    assert next(iter(report(whole))) == r"a\nb.yaml:1:4: error some-rule one\r\ntwo\u2028three \x1b[31m" + "\n"


def test_colours_add_nothing_but_colours() -> None:
    assert next(iter(report(run(FILES, at("a.yaml")), color=True))) == (
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


COMMAND = re.compile(r"::(\w+) ([^:]*)::(.*)")


def unescaped(text: str, signs: dict[str, str]) -> str:
    return re.sub("%(..)", lambda match: signs[match[1]], text)


def read(line: str) -> tuple[str, dict[str, str], str]:
    """A command as the runner takes it: up to the second `::`, properties between commas, then the message."""
    match = COMMAND.fullmatch(line)
    assert match is not None, line
    message = {"25": "%", "0D": "\r", "0A": "\n"}
    properties = dict(pair.split("=", 1) for pair in match[2].split(","))
    plain = {name: unescaped(value, {**message, "3A": ":", "2C": ","}) for name, value in properties.items()}
    return match[1], plain, unescaped(match[3], message)


def commands(run: Run) -> list[tuple[str, dict[str, str], str]]:
    *lines, _ = "".join(github_report(run)).split("\n")[:-1]
    return [read(line) for line in lines]


def bare(*arguments: object, **more: object) -> Diagnostic:
    return found(*arguments, **more)._replace(related=(), fix=None)  # type: ignore[arg-type]


def test_a_command_and_the_summary() -> None:
    assert "".join(github_report(run_of(bare()))).split("\n") == [
        "::error file=views/a.yaml,line=1,endLine=1,col=7,endColumn=10,title=some-rule"
        "::views/a.yaml:1:7: some-rule it is wrong",
        "1 error in 1 of 2 files",
        "",
    ]


@pytest.mark.parametrize(
    ("severity", "command"), [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.NOTE, "notice")]
)
def test_a_severity_is_a_command(severity: Severity, command: str) -> None:
    assert commands(run_of(bare(severity=severity)))[0][0] == command


def test_no_columns_where_a_range_has_several_lines() -> None:
    _, properties, _ = commands(run_of(bare(where=place(1, 11, 2, 5))))[0]
    assert properties == {"file": "views/a.yaml", "line": "1", "endLine": "2", "title": "some-rule"}


@each_of(PATHS)
def test_any_path_is_read_back(path: str) -> None:
    _, properties, _ = commands(run_of(bare(path)))[0]
    assert properties["file"] == escape_controls(path).removeprefix("./")


def test_any_message_is_read_back_and_stays_one_line() -> None:
    _, _, message = commands(run_of(bare(message=ODD_TEXT)))[0]
    assert message == f"views/a.yaml:1:7: some-rule {escape_controls(ODD_TEXT)}"


def test_related_places_and_help_are_further_lines() -> None:
    related = (RelatedLocation("taken here", "b.yaml", place(2, 3, 2, 4)),)
    _, _, message = commands(run_of(bare(help="leave it\nout")._replace(related=related)))[0]
    assert message.split("\n")[1:] == ["b.yaml:2:3: taken here", "leave it", "out"]


@each_of(
    [
        (10, 9, None),
        (11, 0, "GitHub shows 10 of 11 errors; the log of this step lists all"),
        (0, 10, None),
        (0, 11, "GitHub shows 9 of 11 notes; the log of this step lists all"),
        (12, 12, "GitHub shows 10 of 12 errors; GitHub shows 9 of 12 notes; the log of this step lists all"),
    ]
)
def test_what_goes_beyond_the_display_is_told_first(errors: int, notes: int, says: str | None) -> None:
    findings = [bare(f"{number}.yaml") for number in range(errors)]
    findings += [bare(f"{number}.yaml", severity=Severity.NOTE) for number in range(notes)]
    told = commands(run_of(*findings))
    assert len(told) == errors + notes + (says is not None)
    if says:
        assert told[0] == ("notice", {"title": "trialrun"}, says)


def test_every_line_of_an_odd_run_is_a_command() -> None:
    assert [len(commands(RUNS[name])) for name in ("odd paths", "odd texts")] == [len(PATHS) + 1, 1]


def issues(run: Run) -> Any:
    return json.loads("".join(gitlab_report(run)).encode("utf-8"))


def test_an_issue() -> None:
    assert issues(run_of(found(where=place(1, 11, 2, 5)))) == [
        {
            "type": "issue",
            "check_name": "some-rule",
            "description": "it is wrong",
            "severity": "major",
            "fingerprint": "00ff",
            "location": {"path": "views/a.yaml", "lines": {"begin": 1, "end": 2}},
        }
    ]


def test_nothing_found_is_an_empty_list() -> None:
    assert issues(run_of()) == []


@pytest.mark.parametrize(
    ("severity", "word"), [(Severity.ERROR, "major"), (Severity.WARNING, "minor"), (Severity.NOTE, "info")]
)
def test_severities(severity: Severity, word: str) -> None:
    assert issues(run_of(found(severity=severity)))[0]["severity"] == word


def test_paths_are_relative_without_a_dot() -> None:
    told = {issue["location"]["path"] for issue in issues(RUNS["odd paths"])}
    assert told == {path.removeprefix("./").replace("\udcff", "\ufffd") for path in PATHS}


def test_odd_texts_are_visible() -> None:
    (one,) = issues(RUNS["odd texts"])
    assert one["description"] == escape_controls(one["description"])


def cases(run: Run) -> dict[str, ElementTree.Element]:
    suites = ElementTree.fromstring("".join(junit_report(run)))
    return {case.attrib["name"]: case for case in suites.iter("testcase")}


def test_a_failure_lists_the_findings_of_its_file() -> None:
    (failure,) = cases(run_of(found("a.yaml"), found("a.yaml", place(2, 1, 2, 5), "that too")))["a.yaml"]
    assert (failure.tag, failure.attrib) == ("failure", {"type": "error", "message": "2 errors"})
    assert failure.text == "a.yaml:1:7: error some-rule it is wrong\na.yaml:2:1: error some-rule that too"


def test_a_single_finding_is_the_message() -> None:
    (failure,) = cases(run_of(found("a.yaml")))["a.yaml"]
    assert failure.attrib["message"] == "some-rule: it is wrong"


def test_a_sound_file_passes() -> None:
    assert list(cases(run_of(found()))["zz-clean.yaml"]) == []


@pytest.mark.parametrize(
    ("fail_on", "tags"),
    [
        (Severity.ERROR, ["failure", "system-out", "system-out"]),
        (Severity.WARNING, ["failure", "failure", "system-out"]),
        (Severity.NOTE, ["failure", "failure", "failure"]),
    ],
)
def test_what_is_below_fail_on_is_only_output(fail_on: Severity, tags: list[str]) -> None:
    run = RUNS["every severity"]._replace(fail_on=fail_on)
    assert [cases(run)[f"{word}.yaml"][0].tag for word in ("error", "warning", "note")] == tags


def test_a_fault_of_ours_is_an_error() -> None:
    run = run_of(found("a.yaml"), found("a.yaml", rule="internal-error"))
    assert [case.tag for case in cases(run)["a.yaml"]] == ["error"]


def test_the_counts() -> None:
    run = run_of(found("a.yaml"), found("a.yaml", place(2, 1, 2, 2)), found("b.yaml", rule="internal-error"))
    suites = ElementTree.fromstring("".join(junit_report(run)))
    for element in (suites, suites[0]):
        assert {name: element.attrib[name] for name in ("tests", "failures", "errors")} == {
            "tests": "3",
            "failures": "1",
            "errors": "1",
        }


def test_any_path_and_text_is_read_back() -> None:
    assert set(cases(RUNS["odd paths"])) == {*map(escape_controls, PATHS), "zz-clean.yaml"}
    run = run_of(found(message=ODD_TEXT))
    assert cases(run)["views/a.yaml"][0].text == f"views/a.yaml:1:7: error some-rule {escape_controls(ODD_TEXT)}"


def test_nothing_checked_is_a_passed_case_since_readers_refuse_a_report_without_cases() -> None:
    run = run_of()._replace(files=())
    assert [(name, [*case]) for name, case in cases(run).items()] == [("no files checked", [])]
    assert ElementTree.fromstring("".join(junit_report(run))).attrib["tests"] == "1"


BYTES = {"start": {"line": 1, "column": 7}, "end": {"line": 1, "column": 15}}
LINES = {"start": {"line": 1}, "end": {"line": 1}}


def first(run: Run) -> Any:
    return json.loads("".join(rdjson_report(run)).encode("utf-8"))["diagnostics"][0]


def test_a_diagnostic() -> None:
    assert first(run_of(found()._replace(related=(), fix=None))) == {
        "message": "it is wrong",
        "location": {"path": "views/a.yaml", "range": BYTES},
        "severity": "ERROR",
        "code": {"value": "some-rule"},
    }


@pytest.mark.parametrize(
    ("severity", "word"), [(Severity.ERROR, "ERROR"), (Severity.WARNING, "WARNING"), (Severity.NOTE, "INFO")]
)
def test_severities_of_rdjson(severity: Severity, word: str) -> None:
    assert first(run_of(found(severity=severity)))["severity"] == word


def test_related_places() -> None:
    related = (RelatedLocation("taken here", "./b.yaml", HERE),)
    assert first(run_of(found()._replace(related=related)))["related_locations"] == [
        {"message": "taken here", "location": {"path": "b.yaml", "range": BYTES}}
    ]


@each_of(
    [
        ([TextEdit(HERE, "x")], (1, 7), (1, 15), "x"),
        ([TextEdit(place(1, 10, 1, 10), "x")], (1, 15), (1, 15), "x"),
        ([TextEdit(place(2, 8, 2, 9), "x"), TextEdit(place(1, 7, 1, 8), "")], (1, 7), (2, 9), "🍔» café\r\ntags: [x"),
        ([TextEdit(place(3, 8, 3, 8), "\n")], (3, 8), (3, 8), "\n"),
    ]
)
def test_a_fix_is_one_suggestion(
    edits: list[TextEdit], start: tuple[int, int], end: tuple[int, int], text: str
) -> None:
    (suggestion,) = first(run_of(found(fix=ResolvedFix("mend", True, tuple(edits)))))["suggestions"]
    assert suggestion == {
        "range": {"start": {"line": start[0], "column": start[1]}, "end": {"line": end[0], "column": end[1]}},
        "text": text,
    }


def test_a_suggestion_applied_to_the_bytes_is_the_fix() -> None:
    edits = (TextEdit(place(1, 8, 1, 9), "日"), TextEdit(place(1, 11, 1, 14), "é"))
    (suggestion,) = first(run_of(found(fix=ResolvedFix("mend", True, edits))))["suggestions"]
    line, ending, rest = TEXT.encode().partition(b"\r\n")
    start, end = (suggestion["range"][side]["column"] - 1 for side in ("start", "end"))
    fixed = line[:start] + suggestion["text"].encode() + line[end:] + ending + rest
    assert fixed.decode() == TEXT.replace("🍔", "日").replace("caf", "é")


def test_a_name_that_is_no_utf8_can_be_read_as_json() -> None:
    assert first(run_of(found("no-utf8-\udcff.yaml")))["location"]["path"] == "no-utf8-\ufffd.yaml"


def test_without_the_text_there_are_lines_and_no_suggestion() -> None:
    one = first(run_of(found(), sources=gone))
    assert one["location"]["range"] == LINES
    assert "suggestions" not in one


PLACE = Range(Position(12, 19), Position(12, 20))
RANGE = {"start": {"line": 12, "column": 19}, "end": {"line": 12, "column": 20}}
FULL = Diagnostic(
    "duplicate-upsell-priority",
    Severity.ERROR,
    "priority 3 is already taken by …",
    "channels/summer.yaml",
    PLACE,
    document=0,
    pointer="/operationsConfig/upsellStrategy/upsells/2/priority",
    help="not part of the object",
    related=(RelatedLocation("taken here", "channels/summer.yaml", PLACE),),
    fix=ResolvedFix("use 4", False, (TextEdit(PLACE, "4"),)),
    fingerprint="00ff",
)
BARE = Diagnostic("unreadable-file", Severity.NOTE, "no", "a.yaml", Range(Position(1, 1), Position(1, 1)))


def written(*diagnostics: Diagnostic) -> str:
    return "".join(json_report(Run(diagnostics, {}.get, Summary(1, 1, 1, 0, 0, 0), "9.9")))


def pairs(text: str) -> Any:
    """Objects as lists of pairs, so that the order of the keys counts."""
    return json.loads(text, object_pairs_hook=list)


def test_every_key_in_its_order() -> None:
    expected = {
        "version": 1,
        "diagnostics": [
            {
                "rule": "duplicate-upsell-priority",
                "severity": "error",
                "message": "priority 3 is already taken by …",
                "path": "channels/summer.yaml",
                "document": 0,
                "pointer": "/operationsConfig/upsellStrategy/upsells/2/priority",
                "range": RANGE,
                "related": [{"message": "taken here", "path": "channels/summer.yaml", "range": RANGE}],
                "fix": {"title": "use 4", "safe": False, "edits": [{"range": RANGE, "text": "4"}]},
                "fingerprint": "00ff",
            }
        ],
        "summary": {
            "files": 1, "documents": 1, "passed_over": 0, "errors": 1, "warnings": 0, "notes": 0, "suppressed": 0,
        },
        "not_checked": [],
    }  # fmt: skip
    assert pairs(written(FULL)) == pairs(json.dumps(expected))


def test_without_related_places_or_a_fix_the_keys_stay() -> None:
    found = json.loads(written(BARE))["diagnostics"][0]
    assert (found["related"], found["fix"]) == ([], None)


def test_why_a_fix_is_not_offered_stands_beside_the_fix_that_is_none() -> None:
    found = json.loads(written(BARE._replace(refusal="it stands elsewhere")))["diagnostics"][0]
    assert (found["fix"], found["refusal"]) == (None, "it stands elsewhere")


def test_what_was_fixed_is_counted_after_a_run_that_fixes() -> None:
    summary = json.loads("".join(json_report(Run((), {}.get, Summary(3, 3, fixed=(5, 2)), "9.9"))))["summary"]
    assert (summary["fixed"], summary["files"]) == (5, 3)


def test_nothing_found() -> None:
    assert json.loads(written())["diagnostics"] == []


def test_what_the_baseline_hides_is_counted_where_it_hides_something() -> None:
    assert json.loads("".join(json_report(Run((), {}.get, Summary(1, 1, baselined=2), "9.9"))))["summary"] == {
        "files": 1, "documents": 1, "passed_over": 0, "errors": 0, "warnings": 0, "notes": 0, "suppressed": 0,
        "baselined": 2,
    }  # fmt: skip


def test_one_line_for_every_finding_and_a_line_break_at_the_end() -> None:
    assert [line[:12] for line in written(FULL, BARE).split("\n")] == [
        '{"version": ',
        ' "diagnostic',
        '  {"rule": "',
        '  {"rule": "',
        ' "summary": ',
        ' "not_checke',
        "",
    ]


def test_any_text_can_be_written_and_is_read_back() -> None:
    message = '日本語 🍔 \ud800 \x1b \x9b \u202e \u2028 \x7f " \\ \n'
    text = written(Diagnostic("r", Severity.ERROR, message, "a.yaml", PLACE))
    assert json.loads(text.encode("utf-8"))["diagnostics"][0]["message"] == message
    assert "日本語 🍔" in text
    assert [character for character in text if not character.isprintable()] == ["\n"] * text.count("\n")


def test_the_same_run_gives_the_same_text() -> None:
    assert written(FULL, BARE) == written(FULL, BARE)
