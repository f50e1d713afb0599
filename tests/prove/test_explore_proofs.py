"""`trialrun explore --prove`: what a search cannot say, proved, and a session for what it did not see."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.program import Run
from tests.prove.stores import AT, upsell, write_store

BIG, SMALL = upsell("Big", "order.subtotal > 5.0", "Cola"), upsell("Small", "order.subtotal > 9.0")
RARE = upsell("Rare", "order.items.exists(i, i.quantity == 777)")
FEW = ("--sessions", "20", *AT)


def never_offered(run: Run, *options: str) -> dict[str, Any]:
    found = json.loads(run("explore", "corner", *FEW, *options, "--output-format", "json").out)
    [surprise] = [one for one in found["surprises"] if one["kind"] == "never-offered"]
    return dict(surprise)


def test_what_is_never_offered_is_proved(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, BIG, SMALL, maxUpsellOffers=1)
    assert not never_offered(run)["certain"]
    found = never_offered(run, "--prove")
    reason = '"Big" is always offered first and maxUpsellOffers is 1'
    assert (found["certain"], found["message"]) == (True, f'"Small" is never offered: {reason}')
    assert "proved\n" in run("explore", "corner", *FEW, "--prove", COLUMNS="100").out


def test_a_session_shows_what_no_random_one_did(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, RARE)
    assert never_offered(run, "--prove")["example"]["script"] == ["add 777 Burger"]


def test_the_command_that_searches_again_proves_too(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, BIG, SMALL, maxUpsellOffers=1)
    found = json.loads(run("explore", "corner", *FEW, "--prove", "--output-format", "json").out)
    assert " --prove" in found["command"]


@pytest.mark.exhaustive
def test_fewer_sessions_are_played_where_all_is_decided(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, BIG, SMALL, maxUpsellOffers=1)
    asked = ("explore", "corner", *AT, "--prove", "--output-format", "json")
    assert json.loads(run(*asked).out)["sessions"] == 1000
    assert json.loads(run(*asked, "--sessions", "30").out)["sessions"] == 30


@pytest.mark.exhaustive
def test_what_is_not_decided_is_searched_for(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, BIG, upsell("Odd", "session.turn * session.turn == 2"))
    asked = ("explore", "corner", *AT, "--prove", "--output-format", "json", "--turns", "3")
    assert json.loads(run(*asked).out)["sessions"] == 10_000
