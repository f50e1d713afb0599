"""Conditions that many files share are checked by workers, about once in all, whatever becomes of one of them."""

import os
import signal
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from trialrun.lint import warm_up
from trialrun.lint.settings import Profiles, Settings
from trialrun.values.cel import CheckResult as CheckedCondition
from trialrun.values.cel import check as cel_check
from trialrun.values.cel.check import check_with_engine
from trialrun.workspace import CheckRequest, check, lint_files
from trialrun.workspace.check import CheckResult

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
FILES = range(100, 106)


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


@pytest.fixture(params=["with samples", pytest.param("without", marks=pytest.mark.exhaustive)], autouse=True)
def prepare(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples are linted before workers are forked, or not; no condition is known from earlier tests."""
    cel_check.check_expression.cache_clear()
    if request.param == "with samples":
        monkeypatch.setattr(lint_files, "MIN_FILES_FOR_SAMPLES", 2)


def check_folder(folder: Path, *, jobs: int = 2) -> CheckResult:
    """Check a folder without a cache."""
    now = datetime(2026, 11, 20, tzinfo=UTC)
    return check(CheckRequest(str(folder), now, Profiles(Settings()), cache=False, jobs=jobs))


def log_checks(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Append each text that the engine checks, and the process that asks for it."""

    def logged(text: str, *arguments: Any) -> CheckedCondition:
        with log.open("a") as stream:
            stream.write(f"{text} by {os.getpid()}\n")
        return check_with_engine(text, *arguments)

    monkeypatch.setattr(cel_check, "check_with_engine", logged)


def test_conditions_are_checked_by_workers_that_start_each_at_most_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_configs(tmp_path, SHARED)
    log_checks(tmp_path / "checked", monkeypatch)
    check_folder(tmp_path)
    lines = (tmp_path / "checked").read_text().splitlines()
    checked = [line for line in lines if line.partition(" by ")[0] not in warm_up.CONFIG]
    assert len(set(checked)) == len(checked)
    assert not any(line.endswith(f" by {os.getpid()}") for line in checked)
    own = {f"order.subtotal > {number}.5" for number in FILES}
    assert {line.partition(" by ")[0] for line in checked} == {*SHARED, *own}


def test_what_is_found_does_not_depend_on_who_checks_a_condition(tmp_path: Path) -> None:
    wrong = [f"order.subTotal > {amount}.0 and true" for amount in range(20)]
    write_configs(tmp_path, wrong)
    together, alone = check_folder(tmp_path), check_folder(tmp_path, jobs=1)
    assert len(together.diagnostics) > len(FILES) * len(wrong)
    assert together.diagnostics == alone.diagnostics


@pytest.mark.exhaustive
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

    monkeypatch.setattr(cel_check, "check_with_engine", fail)
    rules = Counter((os.path.basename(d.path), d.rule) for d in check_folder(tmp_path).diagnostics)
    assert {name for name, rule in rules if rule == "internal-error"} == {f"{number}.yaml" for number in FILES}
    assert rules["wrong.yaml", "unknown-field"] == 1
