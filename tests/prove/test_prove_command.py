"""`trialrun prove`: what a person and a program see, the exit codes, and what it needs."""

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.example_workspace import copied
from tests.program import Run, view
from tests.prove.stores import AT, HAS_BURGER, NAME, proofs, upsell, write_store

FAILING = upsell("Failing", "order.items[0].displayName == 'Burger'")
DEAD = upsell("Dead", "order.items.exists(i, i.quantity > 3 && i.quantity < 4)")
LONG = upsell("Long", "order.items.size() > 0 && order.items.exists(i, i.displayName == 'Burger')")
FINE = upsell("Fine", HAS_BURGER)
BROWNS = upsell("Browns", HAS_BURGER, "Hash Browns")


@pytest.mark.parametrize(
    ("upsells", "fail_on", "code"),
    [
        ([FAILING], "error", 1),
        ([FAILING], "never", 0),
        ([DEAD], "error", 0),
        ([DEAD], "warning", 1),
        ([LONG], "warning", 0),
        ([LONG], "note", 1),  # a part of its condition changes nothing
        ([FINE], "note", 0),
    ],
)
def test_the_exit_code(run: Run, tmp_path: Path, upsells: list[dict[str, object]], fail_on: str, code: int) -> None:
    write_store(tmp_path, *upsells)
    assert run("prove", "corner", *AT, "--fail-on", fail_on).code == code


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("zone", "moment"), [("America/Chicago", "0001-01-01T00:00:00Z"), ("Asia/Tokyo", "9999-12-31T23:59:59Z")]
)
def test_the_ends_of_the_calendar(run: Run, tmp_path: Path, zone: str, moment: str) -> None:
    write_store(tmp_path, upsell("Late", f"session.startTime.getHours('{zone}') >= 3"), BROWNS)
    brand = tmp_path / "brand.yaml"
    brand.write_text(brand.read_text().replace("America/Chicago", zone))
    (tmp_path / "view.yaml").write_text(view(cron=f"TZ={zone} 0 3 * * *"))
    (tmp_path / "empty").touch()
    for words in (
        ("prove", "corner"),
        ("explore", "corner", "--sessions", "20", "--jobs", "1"),
        ("session", "corner", "--script", "empty"),
        ("report", "--sessions", "5"),
    ):
        ran = run(*words, "--at", moment)
        assert (ran.code, ran.err) == (0, ""), words


@pytest.mark.parametrize("width", [60, 100])
def test_the_text(run: Run, tmp_path: Path, snapshot: SnapshotAssertion, width: int) -> None:
    write_store(tmp_path, FAILING, DEAD, LONG, maxUpsellOffers=1)
    ran = run("prove", "corner", *AT, COLUMNS=str(width))
    assert ran.out == snapshot
    assert max(map(len, ran.out.splitlines())) <= width


@pytest.mark.exhaustive
def test_verdicts_and_witnesses_are_the_same_on_every_machine(
    run: Run, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    words = ("--all-stores", "--no-cache", "--at=2026-11-20", "--fail-on=never", "--output-format=json")
    groups = json.loads(run("prove", *words, cwd=copied(tmp_path)).out)["groups"]
    answers = [(group["stores"][0], one) for group in groups for one in group["answers"]]
    rows = [
        [store, one["question"], one["upsell"], one["verdict"], *one.get("example", {}).get("script", ())]
        for store, one in answers
    ]
    assert "\n".join(" | ".join(row) for row in rows) == snapshot


def test_what_is_proved_of_a_condition_that_no_upsell_has(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, FINE)
    condition = "order.items.filter(i, i.displayName == 'Fries').size() == 2"
    assert [(one["question"], one["verdict"]) for one in proofs(run, "--condition", condition)] == [
        ("condition-true", "never"),  # equal lines are one, of two
        ("condition-fails", "never"),
    ]
    [shown, _] = proofs(run, "--condition", "order.subtotal > 9.0")
    assert (shown["verdict"], shown["example"]["script"]) == ("possible", ["add 2 Burger"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give either STOREs or --all-stores"),
        (("corner", "--all-stores"), "give either STOREs or --all-stores"),
        (("corner", "--condition", "order.items.siz"), '--condition: list(Item) has no field "siz"'),
        (("korner",), "corner"),
        (("corner", "--output-format", "xml"), 'there is no format "xml"'),
    ],
)
def test_wrong_usage(run: Run, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    write_store(tmp_path, FINE)
    ran = run("prove", *words)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_it_says_how_to_install_the_solver(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_store(tmp_path, FINE)
    monkeypatch.setattr("trialrun.extras.find_spec", lambda name: None)
    ran = run("prove", "corner")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: prove needs z3, which is not installed; run pip install 'trialrun[prove]'\n"


def test_the_other_commands_do_not_load_the_solver(process: Run, tmp_path: Path) -> None:
    write_store(tmp_path, FINE)
    for words in (("check",), ("explore", "corner", "--sessions", "5")):
        assert "z3" not in process(*words, PYTHONPROFILEIMPORTTIME="1").err


def test_sarif_names_the_places(run: Run, tmp_path: Path) -> None:
    write_store(
        tmp_path, upsell("Big", "order.subtotal > 5.0"), upsell("Small", "order.subtotal > 9.0"), maxUpsellOffers=1
    )
    [result] = json.loads(run("prove", "corner", *AT, "--output-format", "sarif").out)["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("proved-offered", "warning")
    assert [place["message"]["text"] for place in result["relatedLocations"]] == [
        '"Big" is favored', "maxUpsellOffers is set",
    ]  # fmt: skip


def test_equal_stores_are_proved_once(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, FINE)
    text, store = (tmp_path / "brand.yaml").read_text(), f"{{name: {NAME}/stores/"
    (tmp_path / "brand.yaml").write_text(text.replace("stores: [", f"stores: [{store}other, timeZone: Asia/Tokyo}}, "))
    found = json.loads(run("prove", "--all-stores", *AT, "--output-format", "json").out)
    assert [group["stores"] for group in found["groups"]] == [["other"], ["corner"]]  # what is sold depends on the time
    (tmp_path / "brand.yaml").write_text(
        text.replace("stores: [", f"stores: [{store}other, timeZone: America/Chicago}}, ")
    )
    found = json.loads(run("prove", "--all-stores", *AT, "--output-format", "json").out)
    assert [group["stores"] for group in found["groups"]] == [["other", "corner"]]


def test_a_store_with_errors_is_not_proved(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, {**FINE, "priority": "first"})
    ran = run("prove", "corner", *AT)
    assert ran.code == 1
    assert ran.out == "corner  nothing is proved: its documents have errors\n"
    assert "upsells.yaml" in ran.err


def test_what_is_not_understood_is_named(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, upsell("Odd", "order.subtotal / double(order.items.size()) > 7.0"))
    found = [one for one in proofs(run) if one["verdict"] == "unknown"]
    assert all(one["severity"] == "note" and one["message"].startswith("not decided whether ") for one in found)


def test_a_price_that_the_menu_lacks_is_not_taken_for_zero(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, upsell("Dear", "order.subtotal > 5.0"))
    text = (tmp_path / "brand.yaml").read_text()
    [dear, *_] = proofs(run)
    assert dear["verdict"] == "possible"
    for price in ("6.49", "2.99", "1.10", "2.10"):
        text = text.replace(f", price: {price}", "")
    (tmp_path / "brand.yaml").write_text(text)
    [dear, *_] = proofs(run)
    assert (dear["verdict"], "no price" in dear["message"]) == ("unknown", True)


def test_a_price_that_an_item_of_another_store_lacks_is_not_taken_for_zero(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, upsell("Odd", "order.subtotal == 2.3"))
    brand = tmp_path / "brand.yaml"
    text = brand.read_text().replace("stores: [", f"stores: [{{name: {NAME}/stores/elsewhere}}, ")
    text = text.replace("price: 1.10", "price: 1.10, availability: {stores: [corner]}")
    item = "{name: Cola, id: I-9, availability: {stores: [elsewhere]}, modifierGroups: []}"
    brand.write_text(f"{text}---\nkind: Menu\nbrand: {NAME}\nitems: [{item}]\nmodifierGroups: []\n")
    [odd, *_] = proofs(run)
    assert (odd["verdict"], "no price" in odd["message"]) == ("unknown", True)
