"""Parameters of policies as a person sets them: for a workspace, for a folder, and wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import Run, view

FEW_LABELS = """\
id: few-labels
on: FeatureView
parameters:
  max: {type: int, default: 1, description: how many labels}
  keys: {type: list(string), default: []}
check: self.labels.size() <= parameters.max
message: too many labels
messageExpression: "'at most ' + string(parameters.max)"
"""
LABELS = "labels: {a: b, c: d}\n"
CONCISE = ("check", "--output-format", "concise")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "few.yaml").write_text(FEW_LABELS)
    (tmp_path / "trialrun.toml").write_text('policies = ["policies/"]\n')
    (tmp_path / "legacy").mkdir()
    for name in ("view.yaml", "legacy/view.yaml"):
        (tmp_path / name).write_text(view() + LABELS)
    return tmp_path


def set_parameters(workspace: Path, text: str) -> None:
    (workspace / "trialrun.toml").write_text(f'policies = ["policies/"]\n{text}')


def lines(ran: str) -> list[str]:
    return [line for line in ran.splitlines() if "few-labels" in line]


def test_a_folder_has_another_limit(run: Run, workspace: Path) -> None:
    assert [line.partition(" ")[2] for line in lines(run(*CONCISE).out)] == ["warning few-labels at most 1"] * 2
    set_parameters(workspace, "[policy-parameters.few-labels]\nmax = 0\n")
    assert [line.partition(" ")[2] for line in lines(run(*CONCISE).out)] == ["warning few-labels at most 0"] * 2
    override = '[[overrides]]\npaths = ["legacy/**"]\n[overrides.policy-parameters.few-labels]\nmax = 2\n'
    set_parameters(workspace, f"[policy-parameters.few-labels]\nmax = 0\n{override}")
    assert lines(run(*CONCISE).out) == ["view.yaml:1:1: warning few-labels at most 0"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[policy-parameters.few-label]\nmax = 2\n",
         '2: policy-parameters: there is no policy "few-label"; did you mean "few-labels"?'),
        ("[policy-parameters.few-labels]\nmx = 2\n",
         '3: policy-parameters.few-labels: the policy few-labels has no parameter "mx"; did you mean "max"?'),
        ("[policy-parameters.few-labels]\nmax = 2.5\n",
         "3: policy-parameters.few-labels: max must be a whole number"),
        (f"[policy-parameters.few-labels]\nmax = 0x{'f' * 6000}\n",
         "3: policy-parameters.few-labels: max must be a whole number"),
        ("[policy-parameters.few-labels]\nkeys = [1]\n",
         "3: policy-parameters.few-labels: keys must be a list of strings"),
        ("[policy-parameters]\nfew-labels = 2\n",
         "3: policy-parameters: few-labels must be a table; write [policy-parameters.few-labels]"),
        ('[[overrides]]\npaths = ["a"]\n[overrides.policy-parameters.few-labels]\nmax = "a"\n',
         "5: overrides[0].policy-parameters.few-labels: max must be a whole number"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_reported_with_their_lines(run: Run, workspace: Path, text: str, problem: str) -> None:
    set_parameters(workspace, text)
    ran = run(*CONCISE)
    assert (ran.code, ran.out) == (2, "")
    assert f"trialrun.toml:{problem}" in ran.err


def test_the_settings_command_shows_parameters(run: Run, workspace: Path) -> None:
    set_parameters(workspace, "[policy-parameters.few-labels]\nmax = 3\n")
    shown = json.loads(run("settings", "--output-format", "json").out)["settings"]
    assert shown["policy-parameters.few-labels.max"] == {"value": 3, "from": "trialrun.toml", "default": 1}
    assert shown["policy-parameters.few-labels.keys"] == {"value": [], "from": "default", "default": []}
