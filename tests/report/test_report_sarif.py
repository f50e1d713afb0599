"""The SARIF log: what each part of a run becomes."""

import json
from typing import Any

import pytest

from tests.cases import each_of
from tests.report.runs import HERE, PATHS, RUNS, TEXT, found, gone, known, place, run_of
from trialrun.diagnostic import RelatedLocation, ResolvedFix, Severity, Suppressed, TextEdit
from trialrun.report import sarif
from trialrun.report.interface import RuleText, Run
from trialrun.report.sarif import report
from trialrun.text import Source

RULE = RuleText(
    "document", Severity.ERROR, enabled=False, summary="The law.", why="Why\nso.", markdown="**law**", plain="law"
)


def log(run: Run) -> Any:
    """The only run of the log."""
    return json.loads("".join(report(run)).encode("utf-8"))["runs"][0]


def first(run: Run) -> Any:
    return log(run)["results"][0]


def test_a_result() -> None:
    assert first(run_of(found()._replace(related=(), fix=None))) == {
        "ruleId": "some-rule",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "it is wrong."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "views/a.yaml", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 1, "startColumn": 7, "endLine": 1, "endColumn": 11},
                }
            }
        ],
        "partialFingerprints": {"primaryLocationLineHash": "00ff:1"},
        "suppressions": [],
    }


@each_of(
    [
        ("it is wrong", None, "it is wrong."),
        ('did you mean "a"?', None, 'did you mean "a"?'),
        ("it is wrong; mend it", "leave it\nout", "it is wrong; mend it. leave it out."),
        ("not a [link](1)", None, r"not a [link\](1)."),
        ("no \x1b[31m, no\nline", None, r"no \x1b[31m, no\nline."),
    ]
)
def test_a_message_is_sentences(message: str, help: str | None, text: str) -> None:
    assert first(run_of(found(message=message, help=help)._replace(related=())))["message"]["text"] == text


def test_related_places_are_linked_from_the_message() -> None:
    related = (
        RelatedLocation("taken [here]", "views/a.yaml", HERE),
        RelatedLocation("bound", "b.yaml", place(2, 1, 2, 5)),
    )
    result = first(run_of(found()._replace(related=related)))
    assert result["message"]["text"] == r"it is wrong. See [taken \[here\]](1), [bound](2)."
    assert [related_location["id"] for related_location in result["relatedLocations"]] == [1, 2]
    assert [related_location["message"]["text"] for related_location in result["relatedLocations"]] == [
        "taken [here]",
        "bound",
    ]
    assert result["relatedLocations"][1]["physicalLocation"] == {
        "artifactLocation": {"uri": "b.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 5},
    }


def test_a_fix_deletes_and_inserts() -> None:
    fix = ResolvedFix("swap them", False, (TextEdit(place(1, 10, 1, 10), "x"), TextEdit(place(2, 8, 2, 9), "")))
    assert first(run_of(found(fix=fix)))["fixes"] == [
        {
            "description": {"text": "swap them."},
            "artifactChanges": [
                {
                    "artifactLocation": {"uri": "views/a.yaml", "uriBaseId": "%SRCROOT%"},
                    "replacements": [
                        {
                            "deletedRegion": {"startLine": 1, "startColumn": 11, "endLine": 1, "endColumn": 11},
                            "insertedContent": {"text": "x"},
                        },
                        {"deletedRegion": {"startLine": 2, "startColumn": 8, "endLine": 2, "endColumn": 9}},
                    ],
                }
            ],
            "properties": {"safe": False},
        }
    ]


def test_without_the_text_columns_are_those_of_the_finding() -> None:
    region = first(run_of(found(), sources=gone))["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 7, "endLine": 1, "endColumn": 10}


@pytest.mark.parametrize("path", ["../beside/a.yaml", "/srv/far/a.yaml", "C:/far/a.yaml"])
def test_a_file_outside_has_no_root(path: str) -> None:
    assert path in PATHS
    assert first(run_of(found(path)))["locations"][0]["physicalLocation"]["artifactLocation"].keys() == {"uri"}


def test_a_rule_has_its_page_as_help_and_its_higher_severity() -> None:
    run = run_of(found(severity=Severity.NOTE))._replace(rules=lambda rule, path: RULE)
    assert log(run)["tool"]["driver"]["rules"] == [
        {
            "id": "some-rule",
            "name": "SomeRule",
            "shortDescription": {"text": "The law."},
            "fullDescription": {"text": "The law. Why so."},
            "help": {"text": "law", "markdown": "**law**"},
            "defaultConfiguration": {"enabled": False, "level": "error"},
            "properties": {"tags": ["document"], "precision": "very-high", "problem.severity": "error"},
        }
    ]


def test_a_long_page_is_cut_where_github_takes_no_more() -> None:
    run = run_of(found())._replace(rules=lambda rule, path: RULE._replace(why="why " * 500))
    (rule,) = log(run)["tool"]["driver"]["rules"]
    assert len(rule["fullDescription"]["text"]) == 1024
    assert rule["fullDescription"]["text"].endswith("…")


def test_a_rule_without_a_page_is_as_grave_as_its_findings() -> None:
    run = run_of(found(severity=Severity.NOTE), found("b.yaml", severity=Severity.WARNING))
    (rule,) = log(run)["tool"]["driver"]["rules"]
    assert rule["defaultConfiguration"]["level"] == "warning"


def test_results_point_at_their_rules() -> None:
    whole = log(run_of(found("a.yaml", rule="b"), found("b.yaml", rule="a"), found("c.yaml", rule="b")))
    rules = whole["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in whole["results"]] == ["b", "a", "b"]


def test_suppressed_findings_stand_among_the_others_with_their_justification() -> None:
    suppressed = (
        Suppressed(found("a.yaml"), "the vendor says so", None, "comment"),
        Suppressed(found("z.yaml"), "migration", "2027-01-31", "settings"),
        Suppressed(found("zz.yaml"), "", None, "comment"),
    )
    results = log(run_of(found("m.yaml"), suppressed=suppressed))["results"]
    assert [result["suppressions"] for result in results] == [
        [{"kind": "inSource", "status": "accepted", "justification": "the vendor says so"}],
        [],
        [{"kind": "external", "status": "accepted", "justification": "migration (until 2027-01-31)"}],
        [{"kind": "inSource", "status": "accepted"}],
    ]


def test_github_gets_no_suppressed_findings_which_it_would_open_as_alerts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    suppressed = (Suppressed(found("a.yaml", rule="other"), "the vendor says so", None, "comment"),)
    whole = log(run_of(found("m.yaml"), suppressed=suppressed))
    assert [result["ruleId"] for result in whole["results"]] == ["some-rule"]
    assert [rule["id"] for rule in whole["tool"]["driver"]["rules"]] == ["some-rule"]
    assert "toolExecutionNotifications" not in whole["invocations"][0]


def test_github_gets_no_more_findings_than_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setattr(sarif, "MAX_RESULTS", 3)
    notes = [found(f"{number}.yaml", severity=Severity.NOTE) for number in range(4)]
    whole = log(run_of(*notes, found("z.yaml"), sources=gone))
    levels = [result["level"] for result in whole["results"]]
    assert (len(levels), levels[-1]) == (3, "error")
    (notification,) = whole["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"] == {"text": "Left out: 2 results, the least severe; GitHub takes at most 3."}


@each_of(
    [
        (run_of(), {"executionSuccessful": True, "exitCode": 0}),
        (run_of(found()), {"executionSuccessful": True, "exitCode": 1}),
        (run_of(found(severity=Severity.NOTE)), {"executionSuccessful": True, "exitCode": 0}),
        (
            run_of(found(severity=Severity.NOTE))._replace(fail_on=Severity.NOTE),
            {"executionSuccessful": True, "exitCode": 1},
        ),
        (run_of()._replace(has_internal_error=True), {"executionSuccessful": False, "exitCode": 3}),
    ]
)
def test_how_the_run_ended(run: Run, invocation: dict[str, Any]) -> None:
    assert log(run)["invocations"] == [invocation]


def test_a_fault_of_ours_is_a_result_and_a_notification() -> None:
    whole = log(RUNS["a fault of ours"])
    (notification,) = whole["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"] == {"text": "it is wrong."}
    assert notification["descriptor"] == {"id": "internal-error"}
    assert len(whole["results"]) == 1


@pytest.mark.parametrize(("home", "names"), [(None, False), ("https://example.com/trialrun", True)])
def test_the_home_of_the_project_is_named_where_there_is_one(home: str | None, names: bool) -> None:
    assert ("informationUri" in log(run_of()._replace(home=home))["tool"]["driver"]) is names


def test_columns_are_said_to_be_utf16_and_paths_to_be_relative() -> None:
    whole = log(run_of())
    assert whole["columnKind"] == "utf16CodeUnits"
    assert "uri" not in whole["originalUriBaseIds"]["%SRCROOT%"]


def test_the_category_is_left_to_the_workflow_since_an_upload_replaces_the_last_one_of_its_category() -> None:
    assert "automationDetails" not in log(run_of())


def test_a_text_is_read_once_for_all_findings_of_its_path() -> None:
    asked: list[str] = []

    def counted(path: str) -> Source | None:
        asked.append(path)
        return known(path)

    earlier = RelatedLocation("first here", "first.yaml", HERE)
    findings = [found(f"{number // 50:02}.yaml")._replace(related=(earlier,)) for number in range(1000)]
    assert "".join(report(run_of(*findings, sources=counted))).count('"ruleId"') == 1000
    assert sorted(asked) == [*(f"{number:02}.yaml" for number in range(20)), "first.yaml"]


def test_the_same_run_gives_the_same_text_and_does_not_tell_the_machine() -> None:
    assert "".join(report(RUNS["odd paths"])) == "".join(report(RUNS["odd paths"]))
    assert TEXT not in "".join(report(RUNS["odd paths"]))
