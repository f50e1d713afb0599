"""Conditions that many files share, found without parsing."""

from __future__ import annotations

import os
import signal
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from trialrun.lint.settings import Profiles, Settings
from trialrun.parser import parse
from trialrun.values.cel import CheckResult as CheckedCondition
from trialrun.values.cel import check_engine
from trialrun.values.cel.check_engine import check_with_engine
from trialrun.workspace import CheckRequest, check
from trialrun.workspace.check_result import CheckResult
from trialrun.workspace.shared_conditions import shared_conditions

WAYS = [
    "conditionExpression: order.subtotal > 9.0",
    "conditionExpression: order.subtotal > 9.0  # much",
    "conditionExpression: 'order.subtotal > 9.0'",
    'conditionExpression: "order.subtotal > 9.0"',
    '{"conditionExpression": "order.subtotal > 9.0",\n "priority": 1}',
    "- conditionExpression:   order.subtotal > 9.0\r",
]


@pytest.mark.parametrize("way", WAYS)
def test_a_condition_is_found_in_the_usual_ways_of_writing_it(way: str) -> None:
    assert shared_conditions([f"{way}\n".encode()] * 4, jobs=2) == ["order.subtotal > 9.0"]


def test_quotes_are_read_as_the_parser_reads_them() -> None:
    data = b"conditionExpression: 'session.storeId == ''a'''\n"
    assert shared_conditions([data] * 4, jobs=2) == [parse(data, "a.yaml").documents[0].value["conditionExpression"]]


def test_the_most_frequent_ones_come_first_in_whichever_way_they_are_written() -> None:
    files = [b"conditionExpression: a\n"] * 5 + [b"conditionExpression: b\n", b"conditionExpression: 'b'\n"] * 3
    assert shared_conditions(files, jobs=2) == ["b", "a"]


@pytest.mark.parametrize(
    "text",
    [
        "conditionExpression: >\n  a\n",
        'conditionExpression: "\\x61"\n',
        "conditionExpression: *a\n",
        "conditionExpression:\n  a\n",
        "conditionExpressions: a\n",
        "conditionExpression",
        f"conditionExpression: {'a' * 2000}\n",
    ],
)
def test_what_needs_the_parser_is_left_to_the_workers(text: str) -> None:
    assert shared_conditions([text.encode()] * 9, jobs=2) == []


def test_a_condition_that_few_workers_meet_is_left_to_them() -> None:
    files = [b"conditionExpression: a\n"] * 4
    assert shared_conditions(files, jobs=2) == ["a"]
    assert shared_conditions(files, jobs=3) == []
    assert shared_conditions(files, jobs=1) == []


SHARED = [f"order.subtotal > {amount}.345" for amount in range(20)]
UPSELL = """\
      - displayName: {name}
        priority: {priority}
        celUpsell:
          conditionExpression: {condition}
          suggestedMenuItems: [Fries]
"""
CONFIG = """\
kind: ChannelConfig
name: projects/acme/locations/us/brands/b/channelConfigs/{number}
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
"""
FILES = range(100, 110)


def write_configs(folder: Path, shared: list[str]) -> None:
    """Configs with conditions that all of them have, and one of its own in each; large enough for several workers."""
    for number in FILES:
        conditions = [*shared, f"order.subtotal > {number}.5"]
        upsells = (
            UPSELL.format(name=f"u{priority}", priority=priority, condition=condition)
            for priority, condition in enumerate(conditions, start=1)
        )
        filler = "".join(f"# {line}\n" for line in range(20_000))
        (folder / f"{number}.yaml").write_text(CONFIG.format(number=number) + "".join(upsells) + filler)


def check_folder(folder: Path, *, jobs: int = 2) -> CheckResult:
    """Check a folder without a cache."""
    now = datetime(2026, 11, 20, tzinfo=UTC)
    return check(CheckRequest(str(folder), now, Profiles(Settings()), cache=False, jobs=jobs))


def test_a_condition_that_all_files_have_is_checked_once_and_in_a_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, here = tmp_path / "checked", os.getpid()
    write_configs(tmp_path, SHARED)

    def logged(text: str, *arguments: Any) -> CheckedCondition:
        with log.open("a") as stream:
            stream.write(f"{text} {'here' if os.getpid() == here else 'in a worker'}\n")
        return check_with_engine(text, *arguments)

    monkeypatch.setattr(check_engine, "check_with_engine", logged)
    check_folder(tmp_path)
    checked = [line for line in log.read_text().splitlines() if not line.startswith("true ")]
    own = [f"order.subtotal > {number}.5" for number in FILES]
    assert sorted(checked) == sorted(f"{text} in a worker" for text in [*SHARED, *own])


def test_what_is_found_does_not_depend_on_who_checks_a_condition(tmp_path: Path) -> None:
    wrong = [f"order.subTotal > {amount}.0 and true" for amount in range(20)]
    write_configs(tmp_path, wrong)
    together, alone = check_folder(tmp_path), check_folder(tmp_path, jobs=1)
    assert len(together.diagnostics) > 10 * len(wrong)
    assert together.diagnostics == alone.diagnostics


@pytest.mark.parametrize("is_crash", [True, False])
def test_a_condition_at_which_the_checker_fails_costs_only_its_own_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_crash: bool
) -> None:
    bad = f"order.subtotal > 54.{321 + is_crash}"
    write_configs(tmp_path, [*SHARED, bad])
    (tmp_path / "wrong.yaml").write_text("kind: FeatureView\nnam: a\n")
    here = os.getpid()

    def fail(text: str, *arguments: Any) -> CheckedCondition:
        if text == bad:
            assert os.getpid() != here, "what a file says is checked where a crash ends everything"
            if is_crash:
                os.kill(os.getpid(), signal.SIGKILL)
            raise RuntimeError("fails")
        return check_with_engine(text, *arguments)

    monkeypatch.setattr(check_engine, "check_with_engine", fail)
    rules = Counter((os.path.basename(d.path), d.rule) for d in check_folder(tmp_path).diagnostics)
    assert {name for name, rule in rules if rule == "internal-error"} == {f"{number}.yaml" for number in FILES}
    assert rules["wrong.yaml", "unknown-field"] == 1
