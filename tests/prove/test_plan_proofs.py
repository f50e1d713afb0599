"""`trialrun plan --prove`: no session differs, or one that does, of upsells that are offered more or less often."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.changes.git_workspace import commit, plan
from tests.program import Run
from tests.prove.stores import AT, HAS_BURGER, message, upsell, write_store

Upsells = list[dict[str, Any]]
BIG, SMALL = upsell("Big", "order.subtotal > 5.0", "Cola"), upsell("Small", "order.subtotal > 9.0")
LATE = "session.turn > 1 ? order.subtotal < 3.0 : order.items.size() < 3"
LATER = upsell("Later", LATE)
HI, BYE = message("Hi", "greetingOffer", "Cola"), message("Bye", "closingOffer", "Cola")
CASES: tuple[tuple[Upsells, dict[str, Any], Upsells, dict[str, Any], str, list[tuple[str, str]]], ...] = (
    # before, after: upsells and strategy; the verdict, and the upsells that are offered more or less often
    ([upsell("A", "order.items.size() > 0")], {}, [upsell("A", "order.items.size() >= 1")], {}, "same", []),
    ([upsell("A", "order.subtotal > 5.0")], {}, [upsell("A", "order.subtotal > 5.1")], {}, "differs", [("A", "less")]),
    # no total lies between them: prices are 1.10, 2.10, 2.99 and 6.49
    ([upsell("A", "order.subtotal > 0.5")], {}, [upsell("A", "order.subtotal > 1.0")], {}, "same", []),
    ([upsell("A", HAS_BURGER)], {}, [upsell("A", "order.items.size() > 0")], {}, "differs", [("A", "more")]),
    ([upsell("A", HAS_BURGER)], {}, [upsell("A", "order.subtotal > 9.0")], {}, "differs", [("A", "both")]),
    ([SMALL], {}, [], {}, "differs", [("Small", "less")]),
    ([], {}, [SMALL], {}, "differs", [("Small", "more")]),
    # behind another one that uses up the limit, what comes is never offered
    ([BIG], {"maxUpsellOffers": 1}, [BIG, SMALL], {"maxUpsellOffers": 1}, "same", []),
    ([BIG, SMALL], {"maxUpsellOffers": 1}, [BIG, SMALL], {"maxUpsellOffers": 2}, "differs", [("Small", "more")]),
    ([BIG, SMALL], {"maxUpsellOffers": 2}, [BIG, SMALL], {"maxUpsellOffers": 3}, "same", []),  # there are two
    ([BIG, SMALL], {"maxUpsellOffers": 2}, [BIG, SMALL], {"maxUpsellDeclines": 2}, "same", []),
    ([BIG, SMALL], {}, [SMALL, BIG], {}, "differs", [("Big", "less"), ("Small", "more")]),  # at first
    ([BIG], {}, [{**BIG, "skipOnPreviousTurnUpsell": True}], {}, "same", []),  # it is the only one
    ([BIG, SMALL], {}, [BIG, {**SMALL, "skipOnPreviousTurnUpsell": True}], {}, "differs", [("Small", "less")]),
    ([BIG], {"maxItemsInCart": 3}, [BIG], {"maxItemsInCart": 4}, "differs", [("Big", "more")]),
    ([BIG, BYE], {"maxUpsellOffers": 1}, [BIG, BYE], {"maxUpsellOffers": 2}, "differs", []),
    ([BIG, HI], {}, [BIG, HI, BYE], {}, "differs", []),
    # in the turn before, nothing must be offered
    ([LATER], {}, [upsell("Later", LATE.replace("3.0", "4.0"))], {}, "differs", [("Later", "more")]),
    ([HI, BIG], {"maxUpsellOffers": 1}, [HI, SMALL], {"maxUpsellOffers": 1}, "same", []),  # the greeting is all
)


def write_change(folder: Path, before: Upsells, old: dict[str, Any], after: Upsells, new: dict[str, Any]) -> None:
    write_store(folder, *before, **old)
    commit(folder)
    write_store(folder, *after, **new)


@pytest.mark.parametrize(("before", "old", "after", "new", "verdict", "upsells"), first_of(CASES, 4))
def test_what_is_proved_of_a_change(
    run: Run,
    tmp_path: Path,
    before: Upsells,
    old: dict[str, Any],
    after: Upsells,
    new: dict[str, Any],
    verdict: str,
    upsells: list[tuple[str, str]],
) -> None:
    write_change(tmp_path, before, old, after, new)
    [proof] = plan(run, "HEAD", "--prove", *AT)["proofs"]
    assert (proof["verdict"], proof["reason"]) == (verdict, "")
    assert [(one["upsell"], one["offered"]) for one in proof["upsells"]] == upsells
    assert (proof["example"] is not None) == (verdict == "differs")


def test_the_comment_of_a_pull_request_leads_with_the_proof(run: Run, tmp_path: Path) -> None:
    write_change(tmp_path, [upsell("A", "order.items.size() > 0")], {}, [upsell("A", "order.items.size() >= 1")], {})
    ran = run("plan", "HEAD", "--prove", "--output-format", "markdown", "--fail-on", "never")
    proof, table = ran.out.index("no session differs at corner"), ran.out.index("| change |")
    assert proof < table


def test_a_session_that_differs_is_shown_with_both_sides(run: Run, tmp_path: Path) -> None:
    write_change(tmp_path, [BIG], {}, [upsell("Big", "order.subtotal > 7.0", "Cola")], {})
    out = run("plan", "HEAD", "--prove", *AT, "--fail-on", "never", COLUMNS="100").out
    assert "sessions differ at corner; offered: Big less" in out
    assert '- offers "Big": Cola' in out
    assert "printf '%s\\n' 'add Burger' |" in out


def test_other_menus_are_not_decided(run: Run, tmp_path: Path) -> None:
    write_change(tmp_path, [BIG], {}, [upsell("Big", "order.subtotal > 7.0", "Cola")], {})
    text = (tmp_path / "brand.yaml").read_text()
    (tmp_path / "brand.yaml").write_text(text.replace("price: 6.49", "price: 6.99"))
    [proof] = plan(run, "HEAD", "--prove", *AT)["proofs"]
    assert (proof["verdict"], proof["reason"]) == ("unknown", "the menus differ")


def test_a_menu_alone_is_not_decided(run: Run, tmp_path: Path) -> None:
    write_change(tmp_path, [BIG], {}, [BIG], {})
    text = (tmp_path / "brand.yaml").read_text()
    (tmp_path / "brand.yaml").write_text(text.replace("price: 6.49", "price: 6.99"))
    [proof] = plan(run, "HEAD", "--prove", *AT)["proofs"]
    assert (proof["verdict"], proof["reason"]) == ("unknown", "the menus differ")


def test_another_spelling_beside_the_strategy_is_no_difference(run: Run, tmp_path: Path) -> None:
    write_change(tmp_path, [BIG], {}, [{**BIG, "skipOnPreviousTurnUpsell": True}], {})
    config = tmp_path / "upsells.yaml"
    config.write_text(config.read_text().replace('"defaultLanguageCode": "en"', '"defaultLanguageCode": "EN"'))
    [proof] = plan(run, "HEAD", "--prove", *AT)["proofs"]
    assert (proof["verdict"], proof["reason"]) == ("same", "")


def test_nothing_is_proved_unless_it_is_asked_for(run: Run, tmp_path: Path) -> None:
    write_change(tmp_path, [BIG], {}, [SMALL], {})
    assert "proofs" not in plan(run, "HEAD", *AT)
