"""Conditions that many files share, found without parsing."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from trialrun.lint.settings import Profiles, Settings
from trialrun.parser import parse
from trialrun.values.cel import CheckResult, check_engine
from trialrun.values.cel.check_engine import check_with_engine
from trialrun.workspace import CheckRequest, check
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


CONFIG = """\
kind: ChannelConfig
name: projects/acme/locations/us/channelConfigs/{number}
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - displayName: fries
        priority: 1
        celUpsell:
          conditionExpression: order.subtotal > 12.345
          suggestedMenuItems: [Fries]
      - displayName: {number}
        priority: 2
        celUpsell:
          conditionExpression: order.subtotal > {number}.5
          suggestedMenuItems: [Coke]
"""


def test_workers_check_only_the_conditions_of_their_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, here = tmp_path / "checked", os.getpid()
    filler = "".join(f"# {line}\n" for line in range(20_000))
    for number in range(100, 110):
        (tmp_path / f"{number}.yaml").write_text(CONFIG.format(number=number) + filler)

    def logged(text: str, *arguments: Any) -> CheckResult:
        with log.open("a") as stream:
            stream.write(f"{text} {'here' if os.getpid() == here else 'in a worker'}\n")
        return check_with_engine(text, *arguments)

    monkeypatch.setattr(check_engine, "check_with_engine", logged)
    settings = Profiles(Settings())
    check(CheckRequest(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), settings, cache=False, jobs=2))
    checked = [line for line in log.read_text().splitlines() if not line.startswith("true ")]
    assert [line for line in checked if "12.345" in line] == ["order.subtotal > 12.345 here"]
    assert sorted(line for line in checked if "12.345" not in line) == [
        f"order.subtotal > {number}.5 in a worker" for number in range(100, 110)
    ]
