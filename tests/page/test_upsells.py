"""The sections of upsells and scenarios say what `explore`, `session` and `test` say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.example_workspace import NOON, told
from tests.page.conftest import ExamplePage, copied_stores
from tests.page.test_report_command import FEW_SESSIONS, TWO_STORES, sections
from tests.program import Run


def page(run: Run, folder: Path, *arguments: str) -> dict[str, Any]:
    ran = run("report", *NOON, *arguments, cwd=folder)
    assert ran.code == 0, ran.err
    return sections((folder / "trialrun-report.html").read_text(encoding="utf-8"))


def test_the_reach_is_that_of_explore(run: Run, example: Path, stores_page: ExamplePage) -> None:
    data = sections(stores_page(*TWO_STORES))["upsells"]
    (reach,) = [each for each in data["reach"] if "miami-calle-ocho" in each["command"]]
    found = json.loads(run(*reach["command"].split()[1:], "--output-format", "json", cwd=example).out)
    keys = ("upsell", "offered", "accepted", "declined")
    assert [[share[key] for key in keys] for share in reach["upsells"]] == [
        [share[key] for key in keys] for share in found["upsells"]
    ]
    assert [each["message"] for each in reach["surprises"]] == [each["message"] for each in found["surprises"]]


def test_a_conversation_is_what_session_plays(
    run: Run, tmp_path: Path, example: Path, example_page: ExamplePage
) -> None:
    data = sections(example_page(*FEW_SESSIONS))["upsells"]
    (told_by_page,) = [each for each in data["conversations"] if each["title"].startswith("Two of a burger")]
    script = tmp_path / "order.txt"
    script.write_text("".join(f"{turn['customer']}\n" for turn in told_by_page["turns"][1:]))
    options = ("--script", str(script), "--seed", "0", "--at", "2026-11-20T17:00:00Z")
    played = told(run, "session", "phoenix-airport", *options, cwd=example)["turns"]
    for ours, theirs in zip(told_by_page["turns"], played, strict=True):
        assert [each["text"] for each in ours.get("said", [])] == [each["text"] for each in theirs["said"]]
        assert [each["upsell"] for each in ours.get("offered", [])] == [each["upsell"] for each in theirs["offered"]]
        passed = [(each["upsell"], each["reason"]) for each in ours.get("passed_over", [])]
        assert passed == [(each["upsell"], each["reason"]) for each in theirs["passed_over"]]
        values = {each["upsell"]: each["value"] for each in ours.get("conditions", [])}
        assert values == {each["upsell"]: each["value"] for each in theirs["conditions"]}


def test_every_surprise_with_an_example_has_its_conversation(stores_page: ExamplePage) -> None:
    data = sections(stores_page(*TWO_STORES))["upsells"]
    by_id = {each["id"]: each for each in data["conversations"]}
    (reach,) = [each for each in data["reach"] if "chicago-wicker-park" in each["command"]]
    shown = [each for each in reach["surprises"] if "conversation" in each]
    assert shown
    assert [by_id[each["conversation"]]["title"] for each in shown] == [each["message"] for each in shown]


def test_a_store_with_errors_is_not_explored(run: Run, tmp_path: Path) -> None:
    workspace = copied_stores(tmp_path)
    config = workspace / "channels" / "everyday-upsells.yaml"
    config.write_text(config.read_text().replace("order.items.exists(", "order.itms.exists(", 1))
    data = page(run, workspace, "--sessions", "5")["upsells"]
    assert {each.get("errors", False) for each in data["reach"]} == {True}


def test_scenarios_are_those_of_test(run: Run, example: Path, example_page: ExamplePage) -> None:
    data = sections(example_page(*FEW_SESSIONS))["scenarios"]
    found = told(run, "test", "--coverage", cwd=example)
    assert data["scenarios"] == found["scenarios"]
    assert {each["name"]: (each["total"], each["covered"]) for each in data["coverage"]} == {
        name: (each["total"], each["covered"]) for name, each in found["coverage"].items()
    }


def test_the_parts_of_conditions_that_nothing_exercises_are_those_of_the_coverage(example_page: ExamplePage) -> None:
    data = sections(example_page(*FEW_SESSIONS))["scenarios"]
    (aspect,) = [each for each in data["coverage"] if each["name"] == "conditionParts"]
    marked = {
        (each["path"], " ".join(each["text"][start:end].split()))
        for each in data["conditions"]
        for start, end in each["parts"]
    }
    assert marked == {(each["path"], each["name"].split(": ", 2)[2]) for each in aspect["missing"]}
