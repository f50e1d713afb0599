"""`trialrun test --mutate`: which changes of the configurations no scenario notices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.program import Run
from trialrun.workspace import mutate_scenarios

CAFE = """\
kind: Brand
name: cafe
defaults: [everyday]
stores: [{name: main-street}]
---
kind: ChannelConfig
name: projects/p/locations/l/brands/cafe/channelConfigs/everyday
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    maxUpsellOffers: 1
    upsells:
      - displayName: Cake
        priority: 1
        celUpsell:
          conditionExpression: >-
            order.items.size() > 0
            && order.subtotal < 100.0
          suggestedMenuItems: [Cake]
---
"""
SCENARIO = """\
kind: Scenario
name: Cake with anything
clock: 2026-03-02T10:00:00Z
steps:
  - session:
      store: main-street
      turns:
        - {customer: add Coffee, expect: {offered: [{upsell: Cake}]}}
"""
UNUSED = """\
---
kind: ChannelConfig
name: projects/p/locations/l/brands/cafe/channelConfigs/unused
type: AGENT_CUSTOMIZATION
tone: FRIENDLY
"""


@pytest.fixture
def cafe(tmp_path: Path) -> Path:
    (tmp_path / "cafe.yaml").write_text(CAFE + SCENARIO + UNUSED)
    return tmp_path


@pytest.mark.parametrize("columns", ["60", "100"])
def test_the_page(run: Run, cafe: Path, snapshot: SnapshotAssertion, columns: str) -> None:
    ran = run("test", "--mutate", COLUMNS=columns)
    assert (ran.code, ran.err) == (0, "")
    assert [line for line in ran.out.splitlines() if len(line) > int(columns)] == []
    assert ran.out == snapshot


def test_the_object(run: Run, cafe: Path) -> None:
    ran = run("test", "--mutate", "--output-format", "json")
    mutation = json.loads(ran.out)["mutation"]
    assert (mutation["total"], mutation["tried"], mutation["noticed"]) == (8, 8, 4)
    assert mutation["unnoticed"][0] == {
        "path": "cafe.yaml",
        "line": 18,
        "field": "operationsConfig.upsellStrategy.upsells[Cake].celUpsell.conditionExpression",
        "pointer": "/operationsConfig/upsellStrategy/upsells/0/celUpsell/conditionExpression",
        "before": "order.items.size() > 0 && order.subtotal < 100.0",
        "after": "order.items.size() > 0 || order.subtotal < 100.0",
    }


@pytest.mark.parametrize(("percentage", "code"), [("50", 0), ("51", 1)])
def test_too_few_noticed_changes_fail(run: Run, cafe: Path, percentage: str, code: int) -> None:
    assert run("test", "--mutate", "--fail-under", percentage).code == code


def test_a_smaller_sample_is_part_of_a_larger_one(run: Run, cafe: Path) -> None:
    def unnoticed(*options: str) -> set[str]:
        ran = run("test", "--mutate", "--output-format", "json", "--seed", "3", *options)
        return {change["after"] for change in json.loads(ran.out)["mutation"]["unnoticed"]}

    assert unnoticed("--sample", "1") <= unnoticed("--sample", "3") <= unnoticed("--sample", "5") <= unnoticed()


def test_an_internal_error_is_no_change_that_was_noticed(run: Run, cafe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("trialrun.workspace.mutate_scenarios.play", fail)
    ran = run("test", "--mutate", "--output-format", "json", "--sample", "2")
    mutation = json.loads(ran.out)["mutation"]
    assert (ran.code, mutation["noticed"]) == (3, 0)
    assert [change["fault"] for change in mutation["unnoticed"]] == ["ZeroDivisionError: by zero"] * 2
    assert "a bug in trialrun ended a scenario at this change (ZeroDivisionError: by zero)" in " ".join(
        run("test", "--mutate", "--sample", "2").out.split()
    )


def test_an_interrupt_keeps_what_was_found(run: Run, cafe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    tried = mutate_scenarios.MutationPlan.run

    def interrupted(plan: mutate_scenarios.MutationPlan) -> Iterator[mutate_scenarios.TestedMutant]:
        yield from islice(tried(plan), 2)
        raise KeyboardInterrupt

    monkeypatch.setattr(mutate_scenarios.MutationPlan, "run", interrupted)
    monkeypatch.setattr("trialrun.cli.test.write_utf8", written.extend)
    with pytest.raises(KeyboardInterrupt):  # the exit code 130
        run("test", "--mutate", "--output-format", "json")
    mutation = json.loads("".join(written))["mutation"]
    assert (mutation["tried"], mutation["interrupted"]) == (2, True)


def test_a_scenario_that_fails_notices_nothing(run: Run, cafe: Path) -> None:
    (cafe / "cafe.yaml").write_text(CAFE + SCENARIO.replace("upsell: Cake", "upsell: Pie"))
    ran = run("test", "--mutate")
    assert ran.code == 1
    assert ran.out.endswith("nothing to change: no scenario that passes uses a view, a config or a brand\n")


@pytest.mark.parametrize("option", ["--sample", "--fail-under"])
def test_its_options_need_it(run: Run, cafe: Path, option: str) -> None:
    assert run("test", option, "3").err == f"error: {option} needs --mutate\n"
