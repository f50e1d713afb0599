"""Repositories with settings in several folders: each file is judged by its own nearest ones."""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.program import Run, view

WRONG = view("wrong", cron="0 25 * * *")
TOP_SETTINGS = 'exclude = ["left-out/"]\n'
SETTINGS = {
    ".": TOP_SETTINGS,
    "team-a": 'ignore = ["cron-syntax"]\n',
    "team-b": "",
    "team-b/inner": 'severity.cron-syntax = "warning"\n',
    "left-out": "",
}
ERRORS = {"a.yaml": "error", "team-b/x.yaml": "error", "team-b/inner/x.yaml": "warning", "team-b/sub/x.yaml": "error"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for folder, text in SETTINGS.items():
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "trialrun.toml").write_text(text)
    for file in (*ERRORS, "team-a/x.yaml", "left-out/x.yaml"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(WRONG)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


def reported(run: Run, *arguments: str, cwd: Path | None = None) -> dict[str, str]:
    report: dict[str, Any] = json.loads(run("check", "--output-format=json", *arguments, cwd=cwd).out)
    return {one["path"]: one["severity"] for one in report["diagnostics"] if one["rule"] == "cron-syntax"}


def test_a_check_at_the_top_judges_every_file_by_its_own_settings(run: Run, repository: Path) -> None:
    report = json.loads(run("check", "--output-format=json").out)
    paths = [one["path"] for one in report["diagnostics"]]
    assert paths == sorted(paths)
    assert report["summary"]["files"] == 5
    assert reported(run) == reported(run, ".") == ERRORS


@pytest.mark.parametrize("order", list(itertools.permutations(["a.yaml", "team-a/x.yaml", "team-b/inner/x.yaml"])))
@pytest.mark.parametrize("hook", [[], ["--discovered"]])
def test_the_order_of_paths_decides_nothing(run: Run, repository: Path, order: list[str], hook: list[str]) -> None:
    assert reported(run, *hook, *order) == {"a.yaml": "error", "team-b/inner/x.yaml": "warning"}


def test_a_part_of_a_workspace_has_the_settings_of_all_of_it(run: Run, repository: Path) -> None:
    assert reported(run, "team-b/sub", "team-b/inner") == {
        "team-b/sub/x.yaml": "error",
        "team-b/inner/x.yaml": "warning",
    }
    assert reported(run, "team-b", "team-b/inner/x.yaml") == {key: ERRORS[key] for key in ERRORS if "team-b" in key}
    assert reported(run, cwd=repository / "team-b" / "sub") == {
        "../inner/x.yaml": "warning",
        "../x.yaml": "error",
        "x.yaml": "error",
    }


def test_an_excluded_workspace_is_checked_where_it_is_named(run: Run, repository: Path) -> None:
    assert reported(run, "left-out") == {"left-out/x.yaml": "error"}


def test_what_settings_exclude_is_left_out_of_their_own_workspace_alone(run: Run, repository: Path) -> None:
    (repository / "trialrun.toml").write_text('exclude = ["**/x.yaml"]\n')
    assert reported(run) == {**ERRORS, "left-out/x.yaml": "error"}
    (repository / "team-b" / "trialrun.toml").write_text('exclude = ["inner/", "sub"]\n')
    assert sorted(reported(run)) == ["a.yaml", "left-out/x.yaml", "team-b/x.yaml"]


def test_rules_across_files_stop_at_the_border_of_a_workspace(run: Run, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "trialrun.toml").write_text("")
        (tmp_path / folder / "view.yaml").write_text(view())
    assert run("check").out == "2 files checked, nothing found\n"
    (tmp_path / "b" / "trialrun.toml").unlink()
    (tmp_path / "trialrun.toml").write_text("")
    (tmp_path / "view.yaml").write_text(view())
    ran = run("check", "--output-format=concise").out
    assert ran.count("duplicate-resource-name") >= 1
    assert "a/view.yaml" not in ran


def test_a_finding_has_the_same_fingerprint_wherever_the_check_begins(run: Run, repository: Path) -> None:
    (repository / "team-b" / "inner" / "x.yaml").write_text(view("other", cron="0 25 * * *"))
    top = json.loads(run("check", "--output-format=json").out)["diagnostics"]
    inner = json.loads(run("check", "--output-format=json", cwd=repository / "team-b" / "inner").out)["diagnostics"]
    own = {one["fingerprint"] for one in top if one["path"].startswith("team-b/inner")}
    assert own == {one["fingerprint"] for one in inner} != set()


def test_equal_findings_of_two_workspaces_are_told_apart(run: Run, repository: Path) -> None:
    found = [one["fingerprint"] for one in json.loads(run("check", "--output-format=json").out)["diagnostics"]]
    assert len(found) == len(set(found)) > 3


def test_wrong_settings_of_an_inner_workspace_are_an_error(run: Run, repository: Path) -> None:
    (repository / "team-b" / "trialrun.toml").write_text("ingore = []\n")
    assert run("check").code == 2
    assert run("check", "team-a", "a.yaml").code == 1


def test_each_workspace_has_its_own_baseline(run: Run, repository: Path) -> None:
    (repository / "team-b" / "trialrun.toml").write_text('baseline = "known.json"\n')
    assert run("baseline", "write", cwd=repository / "team-b" / "inner").code == 0  # has none of its own
    assert run("baseline", "write", "known.json", cwd=repository / "team-b").code == 0
    assert sorted(reported(run)) == ["a.yaml", "team-b/inner/x.yaml"]


def test_a_repository_inside_is_a_workspace_of_its_own(run: Run, repository: Path) -> None:
    clone = repository / "clone"
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    (clone / "v.yaml").write_text(WRONG)
    assert reported(run, cwd=clone) == {"v.yaml": "error"}
    (repository / "trialrun.toml").write_text('severity.cron-syntax = "note"\n')
    assert reported(run, cwd=clone) == {"v.yaml": "note"}


def test_a_pattern_that_matches_nothing_is_a_note_of_the_settings(run: Run, repository: Path) -> None:
    text = 'exclude = [\n  "left-out/",\n  "lfet-out/",\n]\nkinds."b.yaml" = "Menu"\n'
    (repository / "trialrun.toml").write_text(text)
    assert run("settings").err.splitlines() == [
        f'note: {repository}/trialrun.toml:3: exclude: "lfet-out/" matches nothing; the nearest path is left-out/',
        f'note: {repository}/trialrun.toml:5: kinds: "b.yaml" matches nothing; the nearest path is a.yaml',
    ]


def test_submodules_are_noted_or_checked(run: Run, repository: Path) -> None:
    git = ("git", "-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "protocol.file.allow=always")
    source = repository.parent / f"{repository.name}-source"
    source.mkdir()
    subprocess.run([*git, "init", "-q", str(source)], check=True)
    (source / "v.yaml").write_text(WRONG)
    subprocess.run([*git, "add", "v.yaml"], cwd=source, check=True)
    subprocess.run([*git, "commit", "-qm", "v"], cwd=source, check=True)
    add = [*git, "submodule", "add", "-q", str(source), "vendor/lib"]
    subprocess.run(add, cwd=repository, check=True, capture_output=True)
    note = "note: vendor/lib is a submodule and is not checked; add --recurse-submodules\n"
    assert run("check").err == run("check", "vendor").err == note
    assert run("check", "vendor/lib").err == ""
    assert reported(run, "vendor/lib") == {"vendor/lib/v.yaml": "error"}
    assert reported(run, "--recurse-submodules") == {**ERRORS, "vendor/lib/v.yaml": "error"}


def test_a_baseline_of_the_settings_is_for_its_own_workspace(run: Run, repository: Path) -> None:
    assert run("baseline", "write").out.startswith("5 findings")
    assert run("check", "--baseline", "trialrun-baseline.json").code == 0
    (repository / "trialrun.toml").write_text(TOP_SETTINGS + 'baseline = "known.json"\n')
    assert run("baseline", "write").out == "2 findings written to known.json\n"
    assert "a.yaml" not in reported(run)
