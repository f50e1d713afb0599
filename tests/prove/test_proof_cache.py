"""Proofs of earlier runs: equal to fresh ones, found again only where nothing changed that they depend on."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.program import Run
from tests.prove.stores import AT, HAS_BURGER, message, upsell, write_store
from trialrun.prove.store import StoreProof
from trialrun.workspace.cache_store import FILE_NAME, LAYOUT, row_digest

UPSELLS = (
    message("Hi", "greetingOffer", "Hash Browns"),
    upsell("Big", "order.subtotal > 5.0", "Cola"),
    upsell("Small", "order.subtotal > 9.0 && session.startTime.getHours('America/Chicago') < 11"),
    message("Bye", "closingOffer", "Cola"),
)
UNDECIDED = upsell("Late", "order.subtotal / double(order.items.size()) > 3.0")
"""Until the solver gives up, it takes ten times as long as all the others."""
ONE = {"maxUpsellOffers": 1}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[StoreProof]:
    """The proofs that were made, and not read."""
    found: list[StoreProof] = []
    init = StoreProof.__init__

    def counted(self: StoreProof, *arguments: Any) -> None:
        found.append(self)
        init(self, *arguments)

    monkeypatch.setattr(StoreProof, "__init__", counted)
    return found


def prove(run: Run, *options: str) -> str:
    """The report as JSON."""
    ran = run("prove", "corner", *AT, *options, "--output-format", "json", "--fail-on", "never")
    assert ran.code == 0, ran.err
    return ran.out


@pytest.mark.exhaustive
def test_a_kept_report_is_the_fresh_one(run: Run, tmp_path: Path, made: list[StoreProof]) -> None:
    write_store(tmp_path, *UPSELLS, UNDECIDED, **ONE)
    fresh = [prove(run), prove(run, "--no-cache")]
    assert len(made) == 2
    assert {*fresh, prove(run)} == {fresh[0]}
    assert len(made) == 2
    verdicts = {one["verdict"] for one in json.loads(fresh[0])["groups"][0]["answers"]}
    assert verdicts == {"never", "possible", "unknown"}


def _moved(folder: Path) -> None:
    file = folder / "upsells.yaml"
    file.write_text(f"# a comment above\n{file.read_text()}")


def test_places_are_those_of_the_files_now(run: Run, tmp_path: Path, made: list[StoreProof]) -> None:
    write_store(tmp_path, *UPSELLS, **ONE)
    prove(run)
    _moved(tmp_path)
    kept = prove(run)
    assert len(made) == 1
    assert kept == prove(run, "--no-cache")


def _edited(name: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))

    return edit


def _other_order(folder: Path) -> None:
    write_store(folder, *UPSELLS[:1], UPSELLS[2], UPSELLS[1], *UPSELLS[3:], **ONE)


CHANGES = {
    "a condition": _edited("upsells.yaml", "> 9.0", "> 9.5"),
    "the order of upsells": _other_order,
    "a limit": _edited("upsells.yaml", '"maxUpsellOffers": 1', '"maxUpsellOffers": 2'),
    "what is suggested": _edited("upsells.yaml", '"Fries"', '"Burger"'),
    "a price": _edited("brand.yaml", "6.49", "6.99"),
    "when something is sold": _edited("brand.yaml", "10:30", "11:30"),
    "the time zone": _edited("brand.yaml", "America/Chicago", "America/Denver"),
}


@pytest.mark.parametrize("change", first_of(CHANGES, 2))
def test_what_a_proof_depends_on_makes_another_one(
    run: Run, tmp_path: Path, made: list[StoreProof], change: str
) -> None:
    write_store(tmp_path, *UPSELLS, **ONE)
    prove(run)
    CHANGES[change](tmp_path)
    kept = prove(run)
    assert len(made) == 2
    assert kept == prove(run, "--no-cache")


def test_another_time_and_another_condition_are_other_proofs(run: Run, tmp_path: Path, made: list[StoreProof]) -> None:
    write_store(tmp_path, *UPSELLS, **ONE)
    for options in ([], ["--at", "2027-11-22T12:00:00Z"], ["--condition", HAS_BURGER], ["--condition", "true"]):
        prove(run, *options)
    assert len(made) == 4


@pytest.mark.parametrize("damage", ["a byte", "a row that is no proof"])
def test_a_damaged_cache_is_none(run: Run, tmp_path: Path, made: list[StoreProof], damage: str) -> None:
    write_store(tmp_path, *UPSELLS, **ONE)
    fresh = prove(run)
    with sqlite3.connect(tmp_path.parent / f"{tmp_path.name}-cache" / FILE_NAME.format(LAYOUT)) as database:
        if damage == "a byte":
            database.execute("UPDATE verdicts SET report = replace(report, 'possible', 'never')")
        for (key,) in database.execute("SELECT key FROM verdicts").fetchall() if damage != "a byte" else ():
            text = '[{"question": "offered", "origin": 99, "related": [], "example": null}]'
            row = text, row_digest(key, text), key
            database.execute("UPDATE verdicts SET report = ?, digest = ? WHERE key = ?", row)
    assert prove(run) == fresh
    assert len(made) == 2
