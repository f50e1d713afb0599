"""Reports for CI systems name files from the top of the repository, those for people from the working directory."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.changes.git_workspace import commit, git, view
from tests.program import Run

VIEW = view(cron="every day")
FILE = "configs/views/v.yaml"


def repository(folder: Path, *files: str) -> Path:
    """A repository with the same wrong view in some files."""
    for file in files or (FILE,):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(VIEW)
    commit(folder)
    return folder


def ci_paths(run: Run, cwd: Path, *arguments: str, **environment: str) -> list[str]:
    """The path of the first finding in each report for CI systems, which is one; and in one written to a file."""

    def report(name: str) -> str:
        return run("check", *arguments, "--output-format", name, cwd=cwd, **environment).out

    command = re.match(r"::error file=([^,]*),[^:]*::([^:]*):", report("github"))
    assert command
    [sarif] = json.loads(report("sarif"))["runs"]
    artifact = sarif["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact.pop("uriBaseId", "%SRCROOT%") in sarif["originalUriBaseIds"]
    gitlab = json.loads(report("gitlab"))[0]["location"]["path"]
    return list(dict.fromkeys([command[1], command[2], artifact["uri"], gitlab]))


def test_below_the_top_of_a_repository(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    assert ci_paths(run, top / "configs") == [FILE]
    assert ci_paths(run, top / "configs" / "views", "v.yaml") == [FILE]
    assert ci_paths(run, top / "configs", str(top / FILE)) == [FILE]
    (top / "other").mkdir()
    assert ci_paths(run, top / "other", "../configs") == [FILE]


def test_reports_for_people_and_of_reviewdog_stay_in_the_working_directory(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)

    def report(name: str) -> str:
        return run("check", "--output-format", name, cwd=top / "configs").out

    assert report("text").count("configs") == report("concise").count("configs") == 0
    assert json.loads(report("json"))["diagnostics"][0]["path"] == "views/v.yaml"
    assert json.loads(report("rdjson"))["diagnostics"][0]["location"]["path"] == "views/v.yaml"
    assert 'name="views/v.yaml"' in report("junit")


def test_a_report_in_a_file(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    run("check", "--output-format", "gitlab=out.json", "--output-format", "text", cwd=top / "configs")
    assert json.loads((top / "configs/out.json").read_text())[0]["location"]["path"] == FILE


def test_fingerprints_are_the_same_everywhere(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    first, second = (
        json.loads(run("check", "--output-format", "gitlab", cwd=folder).out) for folder in (top, top / "configs")
    )
    assert first == second


def test_a_standard_input(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    ran = run(
        "check",
        "-",
        "--stdin-filename",
        "views/new.yaml",
        "--output-format",
        "github",
        stdin=VIEW.encode(),
        cwd=top / "configs",
    )
    assert "::error file=configs/views/new.yaml," in ran.out


def test_a_linked_worktree_has_a_top_of_its_own(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    git(top, "worktree", "add", "-q", "trees/linked")
    assert ci_paths(run, top / "trees/linked/configs") == [FILE]


def test_a_submodule_is_a_part_of_the_repository_around_it(run: Run, tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner")
    outer = repository(tmp_path / "outer", "README")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "shared/views")
    assert ci_paths(run, outer / "shared/views/configs") == [f"shared/views/{FILE}"]
    assert ci_paths(run, outer / "shared", "views", "--recurse-submodules") == [f"shared/views/{FILE}"]


def test_a_clone_inside_a_repository_has_a_top_of_its_own(run: Run, tmp_path: Path) -> None:
    repository(tmp_path, "README")
    assert ci_paths(run, repository(tmp_path / "checkout") / "configs") == [FILE]


def test_from_outside_a_file_has_the_top_of_its_own_repository(run: Run, tmp_path: Path) -> None:
    repository(tmp_path / "checkout")
    (tmp_path / "elsewhere").mkdir()
    assert ci_paths(run, tmp_path / "elsewhere", "../checkout/configs") == [FILE]


def test_another_repository_is_not_mixed_with_that_of_the_working_directory(run: Run, tmp_path: Path) -> None:
    here, there = repository(tmp_path / "here"), repository(tmp_path / "there")
    assert ci_paths(run, here, str(there / FILE)) == [f"../there/{FILE}"]


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_without_git_the_ci_system_says_what_it_checked_out(run: Run, tmp_path: Path, variable: str) -> None:
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text(VIEW)
    configs = tmp_path / "configs"
    assert ci_paths(run, configs) == ["views/v.yaml"]
    assert ci_paths(run, configs, **{variable: str(tmp_path)}) == [FILE]
    assert ci_paths(run, configs, **{variable: str(tmp_path / "other")}) == ["views/v.yaml"]


def test_git_is_believed_before_the_ci_system(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path / "checkout")
    assert ci_paths(run, top / "configs", GITHUB_WORKSPACE=str(tmp_path)) == [FILE]


def test_annotations_of_a_plan(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    (top / FILE).write_text(VIEW.replace("price, size", "price"))
    ran = run("plan", "HEAD", "--output-format", "github", cwd=top / "configs")
    assert f"::error file={FILE}," in ran.out
    assert f"::{FILE}:" in ran.out
