"""JUnit's XML: a case for every file."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tests.report.hostile import ODD_TEXT, PATHS, RUNS, found, place, run_of
from trialrun.diagnostic import Severity
from trialrun.report.interface import Run
from trialrun.report.junit import report
from trialrun.report.terminal_width import escape_controls


def cases(run: Run) -> dict[str, ElementTree.Element]:
    suites = ElementTree.fromstring("".join(report(run)))
    return {case.attrib["name"]: case for case in suites.iter("testcase")}


def test_a_failure_lists_the_findings_of_its_file() -> None:
    run = run_of(found("a.yaml"), found("a.yaml", place(2, 1, 2, 5), "that too"))
    (failure,) = cases(run)["a.yaml"]
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
    run = replace(RUNS["every severity"], fail_on=fail_on)
    assert [cases(run)[f"{word}.yaml"][0].tag for word in ("error", "warning", "note")] == tags


def test_a_fault_of_ours_is_an_error() -> None:
    run = run_of(found("a.yaml"), found("a.yaml", rule="internal-error"))
    assert [case.tag for case in cases(run)["a.yaml"]] == ["error"]


def test_the_counts() -> None:
    run = run_of(found("a.yaml"), found("a.yaml", place(2, 1, 2, 2)), found("b.yaml", rule="internal-error"))
    suites = ElementTree.fromstring("".join(report(run)))
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


def test_nothing_checked_is_an_empty_suite() -> None:
    assert cases(replace(run_of(), files=())) == {}
