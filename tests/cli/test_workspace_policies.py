"""Policies on the workspace as a person or a pipeline runs them: all files, some, since a revision, and again."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.program import Run, view

FEW_VIEWS = """\
id: few-views
scope: workspace
on: FeatureView
at: name
once: self.name.split("/featureViews/")[0]
parameters:
  max: {type: int, default: 2}
check: >-
  documents("FeatureView").filter(v, v.name.split("/featureViews/")[0] == self.name.split("/featureViews/")[0]).size()
  <= parameters.max
message: too many views
"""
CONCISE = ("check", "--output-format", "concise", "--select", "few-views,unused-suppression,syntax-error")
FOUND = "warning few-views too many views"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "few.yaml").write_text(FEW_VIEWS)
    (tmp_path / "trialrun.toml").write_text('policies = ["policies/"]\n')
    for name in "bac":
        (tmp_path / f"{name}.yaml").write_text(view(name))
    return tmp_path


def told(run: Run, *arguments: str) -> list[str]:
    ran = run(*CONCISE, *arguments)
    assert ran.err == ""
    return ran.out.splitlines()[:-1]


@pytest.mark.parametrize("arguments", [(), ("--jobs", "2"), ("--no-cache",), (".",)])
def test_the_first_of_a_group_gets_the_finding(run: Run, workspace: Path, arguments: tuple[str, ...]) -> None:
    assert told(run, *arguments) == [f"a.yaml:2:7: {FOUND}"]
    assert told(run, *arguments) == [f"a.yaml:2:7: {FOUND}"]
    (workspace / "c.yaml").unlink()
    assert told(run, *arguments) == []


def test_a_named_file_is_counted_with_all_others(run: Run, workspace: Path) -> None:
    assert told(run, "a.yaml") == [f"a.yaml:2:7: {FOUND}"]
    assert told(run, "b.yaml") == []
    (workspace / "c.yaml").unlink()
    assert told(run, "a.yaml") == []


def test_another_limit_for_a_folder(run: Run, workspace: Path) -> None:
    (workspace / "trialrun.toml").write_text(
        'policies = ["policies/"]\n[[overrides]]\npaths = ["a.yaml"]\npolicy-parameters.few-views.max = 3\n'
    )
    assert told(run) == [f"b.yaml:2:7: {FOUND}"]


def test_a_suppression_is_used_or_not(run: Run, workspace: Path) -> None:
    (workspace / "a.yaml").write_text(view("a").replace("/a\n", "/a  # trialrun: ignore[few-views] legacy\n"))
    assert told(run) == []
    (workspace / "c.yaml").unlink()
    assert [line.split()[2] for line in told(run)] == ["unused-suppression"]


def test_a_baseline_accepts_the_finding(run: Run, workspace: Path) -> None:
    assert run("baseline", "write", "--select", "few-views", "baseline.json").code == 0
    settings = workspace / "trialrun.toml"
    settings.write_text(settings.read_text() + 'baseline = "baseline.json"\n')
    assert told(run) == []


def test_nothing_is_said_while_a_view_cannot_be_read(run: Run, workspace: Path) -> None:
    (workspace / "d.yaml").write_text("kind: FeatureView\nname: [\n")
    assert [line.split()[2] for line in told(run)] == ["syntax-error"]


def test_since_a_revision(run: Run, workspace: Path, commit: Callable[[], None]) -> None:
    (workspace / "c.yaml").unlink()
    commit()
    assert told(run, "--since", "HEAD") == []
    (workspace / "c.yaml").write_text(view("c"))
    assert told(run, "--since", "HEAD") == [f"a.yaml:2:7: {FOUND}"]
    commit()
    (workspace / "c.yaml").write_text(view("c", "0 4 * * *"))
    assert told(run, "--since", "HEAD") == []


@pytest.fixture
def commit(tmp_path: Path) -> Callable[[], None]:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True, env=environment)

    git("init", "-q")

    def committed() -> None:
        git("add", "-A")
        git("-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-qm", "change", "--allow-empty")

    return committed
