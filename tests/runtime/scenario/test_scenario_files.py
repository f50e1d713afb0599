"""Drop a file into fixtures/scenarios/passing and it must pass; into failing, and it must fail as its .txt says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import Run
from trialrun.model.scenario import ScenarioStep
from trialrun.runtime.scenario.steps import STEP_MODULES

FIXTURES = Path(__file__).parents[3] / "fixtures" / "scenarios"
AT = ("--at", "2026-11-20T00:00:00Z", "--isolated")


@pytest.mark.parametrize("path", sorted((FIXTURES / "passing").iterdir()), ids=lambda path: path.stem)
def test_every_scenario_of_the_file_passes(path: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / path.name).write_bytes(path.read_bytes())
    ran = run("test", *AT)
    assert (ran.code, ran.err) == (0, ""), ran.out


@pytest.mark.parametrize("path", sorted((FIXTURES / "failing").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_file_fails_as_it_says(path: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / path.name).write_bytes(path.read_bytes())
    ran = run("test", *AT, COLUMNS="100")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_every_kind_of_step_has_a_player() -> None:
    assert set(STEP_MODULES) == set(ScenarioStep.unions["deed"])
    assert {*ScenarioStep.model_fields} - {"clock"} == set(STEP_MODULES)


@pytest.mark.exhaustive
def test_the_scenarios_of_the_example_workspace_pass(run: Run) -> None:
    ran = run("test", "scenarios", cwd=FIXTURES.parent / "workspaces" / "burger-brand")
    assert (ran.code, ran.err) == (0, ""), ran.out
    assert ran.out.endswith("\n25 scenarios: 25 passed\n")
