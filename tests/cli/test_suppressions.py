"""`trialrun suppressions`, and suppressions in a check of a workspace."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.changes.git_workspace import commit
from tests.program import Run, view, write_files

WRONG = view(cron="0 25 * * *  # trialrun: ignore[cron-syntax, cron-rare] owner=rides until=2027-01-31 the old feed")
SETTINGS = """\
[[suppress]]
path = "*.json"
rule = "cron-syntax"
pointer = "/syncConfig"
"""
AT = ("--at", "2026-11-20")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    write_files(tmp_path, {"view.yaml": WRONG, "trialrun.toml": SETTINGS})
    return tmp_path


def checked(run: Run, *arguments: str) -> Any:
    return json.loads(run("check", "--output-format", "json", *AT, *arguments).out)


def test_what_is_suppressed_is_counted_and_not_told(run: Run, workspace: Path) -> None:
    found = checked(run)
    assert [(file["path"], file["rule"]) for file in found["diagnostics"]] == [
        ("trialrun.toml", "unused-suppression"),
        ("view.yaml", "unused-suppression"),
    ]
    assert found["summary"] | {"documents": 1, "errors": 0, "warnings": 2, "suppressed": 1} == found["summary"]


def test_verdicts_are_kept_as_they_were_before_silencing(run: Run, workspace: Path) -> None:
    (workspace / "other.yaml").write_text(view("w", "0 3 * * *"))
    assert checked(run, "--jobs", "2") == checked(run) == checked(run, "--no-cache")
    later = json.loads(run("check", "--output-format", "json", "--at", "2027-02-01").out)
    assert [diagnostic["rule"] for diagnostic in later["diagnostics"]] == [
        "unused-suppression",
        "cron-syntax",
        "expired-suppression",
    ]


def test_a_rule_across_files_that_is_silenced_for_nothing_is_unused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("# trialrun: ignore-file[duplicate-resource-name] why\n" + view())
    assert [diagnostic["rule"] for diagnostic in checked(run)["diagnostics"]] == ["unused-suppression"]
    assert checked(run, "a.yaml") == checked(run)
    (tmp_path / "b.yaml").write_text("# trialrun: ignore-file[duplicate-resource-name] a copy\n" + view())
    assert [diagnostic["path"] for diagnostic in checked(run)["diagnostics"]] == ["a.yaml"]


def test_since_compares_what_is_left_after_silencing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(WRONG.replace(", cron-rare", ""))
    commit(tmp_path)
    assert checked(run, "--since", "HEAD")["diagnostics"] == []
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    assert [diagnostic["rule"] for diagnostic in checked(run, "--since", "HEAD")["diagnostics"]] == ["cron-syntax"]


def test_a_clash_that_an_untouched_file_suppresses_is_not_new(run: Run, tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("# trialrun: ignore-file[duplicate-resource-name] a copy\n" + view())
    commit(tmp_path)
    (tmp_path / "a.yaml").write_text(view())
    assert checked(run, "--since", "HEAD")["diagnostics"] == []


LISTED = """\
trialrun.toml:1  cron-syntax
  covers *.json /syncConfig
  suppresses 0 findings
  unused: cron-syntax

view.yaml:4  cron-syntax, cron-rare
  the old feed
  covers /syncConfig/cron, owner rides, until 2027-01-31
  suppresses 1 finding
  unused: cron-rare

2 suppressions (2 unused, 1 unexplained)
"""


def test_the_list_for_people(run: Run, workspace: Path) -> None:
    ran = run("suppressions", *AT, COLUMNS="60")
    assert (ran.code, ran.out, ran.err) == (0, LISTED, "")


def test_the_age_is_that_of_the_commit(run: Run, workspace: Path) -> None:
    commit(workspace, "--date", "2026-08-20T10:00:00Z")
    (workspace / "new.yaml").write_text(WRONG.replace("/v\n", "/w\n"))
    (workspace / "view.yaml").write_text(WRONG + "# trialrun: ignore[missing-etag]\nlabels: {a: b}\n")
    assert "covers *.json /syncConfig, since 2026-08-20 (92 days)" in run("suppressions", *AT).out
    listed = json.loads(run("suppressions", "--output-format", "json", *AT, "view.yaml", "new.yaml").out)
    assert [
        (suppression["path"], suppression["line"], suppression["since"], suppression["days"])
        for suppression in listed["suppressions"]
    ] == [
        ("new.yaml", 4, None, None),
        ("trialrun.toml", 1, "2026-08-20", 92),
        ("view.yaml", 4, "2026-08-20", 92),
        ("view.yaml", 8, None, None),
    ]


def test_the_list_for_programs(run: Run, workspace: Path) -> None:
    listed = json.loads(run("suppressions", "--output-format", "json", "--at", "2027-02-01", "view.yaml").out)
    assert listed["summary"] == {"suppressions": 2, "expired": 1, "unused": 0, "unexplained": 1}
    assert listed["suppressions"][1] == {
        "path": "view.yaml",
        "line": 4,
        "sort": "comment",
        "rules": ["cron-syntax", "cron-rare"],
        "covers": "/syncConfig/cron",
        "reason": "the old feed",
        "owner": "rides",
        "since": None,
        "days": None,
        "until": "2027-01-31",
        "expired": True,
        "silenced": 0,
        "unused": [],
        "unknown": [],
    }


def test_a_workspace_without_suppressions(run: Run) -> None:
    assert run("suppressions").out == "no suppressions\n"


def test_a_path_that_does_not_exist_is_wrong_usage(run: Run) -> None:
    assert run("suppressions", "nowhere.yaml").code == 2


def test_the_folder_of_the_workspace_is_the_whole_of_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text("# trialrun: ignore-file[duplicate-resource-name] two once\n" + view())
    assert "unused: duplicate-resource-name" in run("suppressions").out
    assert run("suppressions", ".").out == run("suppressions").out


def test_the_former_name_of_the_tables_brings_a_hint(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.json": "{}", "trialrun.toml": '[[ignore]]\npath = "a.json"\nrule = "cron-syntax"\n'})
    ran = run("check", "a.json")
    assert "note: trialrun.toml:1: [[ignore]] is called [[suppress]] now; rename it" in ran.err
