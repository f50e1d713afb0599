"""`trialrun explore`: what is surprising at a store or at all of them, for people and for programs."""

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cases import first_of
from tests.cli.example_workspace import copied
from tests.program import Run, own_environment, run_here, write_files
from trialrun.cli.explore import PROFILE_OPTIONS
from trialrun.cli.explore import command as explore

NAME = "projects/p/locations/l/brands/b"
AT = ("--at", "2026-11-22")
BRAND = f"""\
kind: Brand
name: {NAME}
defaults: [{NAME}/channelConfigs/sides]
stores: [{{name: {NAME}/stores/corner, timeZone: America/Chicago}}]
---
kind: Menu
brand: {NAME}
items:
  - {{name: Burger, id: I-1, price: 6.10, modifierGroups: []}}
  - {{name: Fries, id: I-2, price: 2.20, modifierGroups: []}}
modifierGroups: []
"""
SIDES = f"""\
kind: ChannelConfig
name: {NAME}/channelConfigs/sides
type: UPSELL_STRATEGY
operationsConfig:
  defaultLanguageCode: en
  upsellStrategy:
    maxUpsellDeclines: 4
    upsells:
      - displayName: Fries with burgers
        priority: 1
        celUpsell:
          conditionExpression: "order.items[0].displayName == 'Burger'"
          suggestedMenuItems: [Fries]
      - displayName: A second burger
        priority: 2
        celUpsell:
          conditionExpression: "order.items.size() > 40 && session.channelType == 'KIOSK'"
          suggestedMenuItems: [Burger]
      - displayName: Fries to go
        priority: 3
        closingOffer:
          closingMessages:
            - offerMessage:
                upsoldItems: [Fries]
                messageConfigs: [{{languageCode: en, messageText: Fries to go?}}]
      - displayName: Later
        priority: 4
        disabled: true
        celUpsell: {{conditionExpression: "order.subtotal > 9.0", suggestedMenuItems: [Burger]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of one store whose conditions hold surprises."""
    write_files(tmp_path, {"brand.yaml": BRAND, "sides.yaml": SIDES})
    return tmp_path


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The object of an exploration, for tests that read it."""
    folder = tmp_path_factory.mktemp("explored")
    write_files(folder, {"brand.yaml": BRAND, "sides.yaml": SIDES})
    words = ("explore", "corner", "--sessions", "100", *AT, "--output-format", "json")
    return json.loads(run_here(words, folder, own_environment(folder)).out)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("explore"))


@pytest.mark.parametrize("columns", ["60", "100"])
def test_what_is_told(run: Run, folder: Path, snapshot: SnapshotAssertion, columns: str) -> None:
    shown = run("explore", "corner", "--sessions", "100", *AT, COLUMNS=columns).out
    assert shown == snapshot
    assert max(map(len, shown.splitlines())) <= int(columns)


def test_the_object(explored: Any) -> None:
    found = explored
    assert (found["version"], found["store"], found["sessions"]) == (1, f"{NAME}/stores/corner", 100)
    assert found["habits"]["accept"] == 0.3
    fails = found["surprises"][0]
    origin = {"level": "brand-default", "config": f"{NAME}/channelConfigs/sides", "path": "sides.yaml", "line": 12}
    assert (fails["kind"], fails["severity"], fails["from"]) == ("condition-error", "error", origin)
    example = fails["example"]
    assert (example["script"], example["turn"], example["shortest"]) == (["say hm"], 1, True)
    command = "trialrun session projects/p/locations/l/brands/b/stores/corner --script - --seed 0"
    assert example["replay"] == f"printf '%s\\n' 'say hm' | {command} --at 2026-11-22T00:00:00Z"


def test_shares_are_told_as_numbers(explored: Any) -> None:
    shares: dict[str, Any] = {file["upsell"]: file for file in explored["upsells"]}
    assert list(shares) == ["Fries with burgers", "A second burger", "Fries to go", "Later"]
    assert 0 < shares["Fries with burgers"]["accepted"] < shares["Fries with burgers"]["offered"] < 1
    assert shares["A second burger"]["passed_over"][0]["reason"] == "condition-false"
    assert shares["Later"]["disabled"]


@pytest.mark.parametrize(
    ("fails", "least", "code"),
    [(True, "error", 1), (True, "warning", 1), (True, "note", 1), (False, "error", 0), (False, "warning", 1)],
)
def test_what_weighs_less_than_the_bar_is_no_failure(
    run: Run, folder: Path, fails: bool, least: str, code: int
) -> None:
    whole = SIDES.replace("items[0]", "items.exists(i, i").replace("'Burger'", "'Burger')")
    (folder / "sides.yaml").write_text(SIDES if fails else whole)
    assert run("explore", "corner", "--sessions", "15", *AT, "--fail-on", least).code == code


def test_documents_with_errors_are_not_played(run: Run, folder: Path) -> None:
    (folder / "sides.yaml").write_text(SIDES.replace("priority: 2", "priority: none"))
    ran = run("explore", "corner", *AT, "--output-format", "json")
    assert (ran.code, "wrong-type" in ran.err) == (1, True)
    assert json.loads(ran.out)["errors"][0]["path"] == "sides.yaml"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "error: give either a STORE or --all-stores\n"),
        ("corner --all-stores", "error: give either a STORE or --all-stores\n"),
        ("corne", 'error: there is no store "corne"; did you mean "corner"?\n'),
        ("corner --accept 0.7", "--accept 0.7 and --decline 0.4 add up to more than 1"),
        ("corner --accept 1.7", "1.7 is not in the range 0<=x<=1"),
        ("corner --accept nan", "--accept: nan is not a probability; use a value from 0 to 1"),
        ("corner --language english!", '--language "english!": '),
        ("corner --sessions 0", "0 is not in the range x>=1"),
    ],
)
def test_what_cannot_be_asked(run: Run, folder: Path, words: str, message: str) -> None:
    ran = run("explore", *words.split())
    assert (ran.code, ran.out, message in ran.err) == (2, "", True)


@pytest.mark.parametrize("hashes", first_of(["1", "2"]))
def test_the_same_seed_tells_the_same_whatever_the_hashes(process: Run, run: Run, folder: Path, hashes: str) -> None:
    words = ("explore", "corner", "--sessions", "10", "--seed", "3", *AT, "--output-format", "json")
    output = process(*words, PYTHONHASHSEED=hashes).out
    assert run(*words).out == output != run(*words, "--seed", "4").out


def test_habits_change_the_shares(run: Run, folder: Path) -> None:
    words = ("explore", "corner", "--sessions", "20", *AT, "--accept", "0", "--output-format", "json")
    found = json.loads(run(*words).out)
    assert {file["accepted"] for file in found["upsells"]} == {0.0}


def test_any_number_of_processes_tells_the_same(run: Run, folder: Path) -> None:
    words = ("explore", "corner", "--sessions", "150", *AT, "--output-format", "json")
    told = [run(*words, "--jobs", jobs).out for jobs in ("1", "2", "3")]
    assert json.loads(told[0])["sessions"] == 150
    assert told[1:] == told[:1] * 2


def test_ctrl_c_tells_what_was_found_so_far(folder: Path) -> None:
    master, terminal = pty.openpty()
    words = [sys.executable, "-m", "trialrun", "explore", "corner", "--sessions", "100000000", *AT]
    with subprocess.Popen(
        words, cwd=folder, env=own_environment(folder), stdout=subprocess.PIPE, stderr=terminal, text=True
    ) as process:
        os.close(terminal)
        seen = b""
        while seen.count(b"%") < 3:
            seen += os.read(master, 1024)
        process.send_signal(signal.SIGINT)
        assert process.stdout
        told = process.stdout.read()
        assert process.wait(60) == 130
    os.close(master)
    assert " of 100,000,000 sessions" in told
    assert "[condition-error]" in told


def test_the_example_has_a_greeting_offer_that_leaves_room_for_no_other(run: Run, example: Path) -> None:
    found = run("explore", "chicago-wicker-park", "--sessions", "10", *AT, cwd=example, COLUMNS="200").out
    assert "a greeting offer is made in every session and uses up maxUpsellOffers, 1 [never-offered]" in found


def test_an_example_can_be_played_again(run: Run, folder: Path, explored: Any) -> None:
    (twice,) = [file["example"] for file in explored["surprises"] if file["kind"] == "offered-twice"]
    words = ("--script", "-", "--seed", str(twice["seed"]), "--at", twice["at"], "--output-format", "json")
    turns = json.loads(run("session", "corner", *words, stdin="\n".join(twice["script"]).encode()).out)["turns"]
    assert [offer["items"] for turn in turns for offer in turn["offered"]] == [["Fries"], ["Fries"]]
    assert turns[twice["turn"]]["offered"]


def test_the_command_that_is_printed_plays_the_same_again(run: Run, folder: Path) -> None:
    habits = ("--language", "fr", "--accept", "0.9", "--decline", "0.05", "--turns", "3", "--seed", "7", "--isolated")
    ran = run("explore", "corner", "--sessions", "15", *habits, *AT, "--output-format", "json")
    again = shlex.split(json.loads(ran.out)["command"])
    assert again[0] == "trialrun"
    assert run(*again[1:], "--output-format", "json").out == ran.out


SETTINGS = '[runtime]\nmessage-draw = "type"\n'
CHANGED = {
    "sessions": "7",
    "turns": "3",
    "seed": "7",
    "at": "2026-11-23T05:00:00Z",
    "language": "fr",
    "fail-on": "note",
    "isolated": None,
    "prove": None,
    "allow-path": "further documents",
    **dict.fromkeys(PROFILE_OPTIONS, "0.1234567891"),
}
OF_THE_REPORT = {"output-format", "color", "help", "save-scenarios", "all-stores", "jobs"}
"""Options that change how an answer looks or is kept, and not what it says."""


def test_every_option_of_explore_is_printed_or_of_the_report_alone() -> None:
    names = {name.lstrip("-") for option in explore.params for name in option.opts if name.startswith("--")}
    assert names - OF_THE_REPORT == {*CHANGED}


@pytest.mark.parametrize("name", first_of(CHANGED, 10))
def test_a_changed_option_is_printed_and_the_command_gives_the_same(run: Run, folder: Path, name: str) -> None:
    (folder / "trialrun.toml").write_text(SETTINGS)
    (folder / "further documents").mkdir()
    value = CHANGED[name]
    given = {"--sessions": "6", "--at": AT[1], f"--{name}": value}
    words = [word for option, value in given.items() for word in (option, value) if word is not None]
    ran = run("explore", "corner", *words, "--output-format", "json")
    found = json.loads(ran.out)
    again = shlex.split(found["command"])
    at = again.index(f"--{name}")
    assert value is None or again[at + 1] == value
    rerun = run(*again[1:], "--output-format", "json")
    assert (rerun.code, rerun.out) == (ran.code, ran.out)
    shown = " ".join(run("explore", "corner", *words, COLUMNS="80").out.replace("\\\n", " ").split())
    assert found["command"] in shown


@pytest.mark.parametrize("options", first_of([["--isolated"], ["--allow-path", "further documents"], []], 2))
def test_the_replay_of_an_example_goes_by_the_same_settings(run: Run, folder: Path, options: list[str]) -> None:
    (folder / "trialrun.toml").write_text(SETTINGS)
    (folder / "further documents").mkdir()
    ran = run("explore", "corner", "--sessions", "25", *AT, *options, "--output-format", "json")
    for example in [load["example"] for load in json.loads(ran.out)["surprises"] if "example" in load]:
        printed, _, played = example["replay"].rpartition(" | ")
        script = "\n".join(shlex.split(printed)[2:]).encode()
        words = shlex.split(played)
        assert all(option in words for option in options)
        assert ("--isolated" in words) is ("--isolated" in options)
        replayed = run(*words[1:], "--output-format", "json", stdin=script)
        assert replayed.code == 0, replayed.err
        turns = json.loads(replayed.out)["turns"]
        assert example["script"] == [turn["customer"] for turn in turns[1:]]


def test_the_text_prints_the_same_replay(run: Run, folder: Path) -> None:
    words = ("explore", "corner", "--sessions", "25", *AT, "--isolated", "--allow-path", ".")
    shown = " ".join(run(*words, COLUMNS="80").out.replace("\\\n", " ").replace("|\n", "| ").split())
    assert shown.count("--isolated --allow-path .") == shown.count("trialrun session corner") + 1 > 1


SHORT = (*AT, "--sessions", "20")
SHARED = f"""\
kind: Brand
name: {NAME}
defaults: [sides]
stores: [{{name: a}}, {{name: b}}, {{name: c, tags: [city]}}]
bindings: [{{rule: city, channelConfig: quick, stores: {{tags: [city]}}}}]
---
kind: Menu
brand: {NAME}
items: [{{name: Burger, price: 6.10}}, {{name: Fries, price: 2.20}}]
---
kind: ChannelConfig
name: {NAME}/channelConfigs/sides
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - displayName: Fries
        priority: 1
        celUpsell: {{conditionExpression: "CONDITION", suggestedMenuItems: [Fries]}}
---
kind: ChannelConfig
name: {NAME}/channelConfigs/quick
type: UPSELL_STRATEGY
operationsConfig: {{upsellStrategy: {{maxUpsellOffers: 3}}}}
"""
CONDITION = "order.items.size() > 0"
FRIES = "{name: Fries, price: 2.20}"


def write_stores(folder: Path, condition: str = CONDITION, **replaced: str) -> None:
    text = SHARED.replace("CONDITION", condition)
    for old, new in ((FRIES, replaced.get("fries", FRIES)), ("{name: b}", replaced.get("b", "{name: b}"))):
        text = text.replace(old, new)
    (folder / "brand.yaml").write_text(text)


def explored_stores(run: Run, *options: str) -> Any:
    return json.loads(run("explore", "--all-stores", "--output-format", "json", *SHORT, *options).out)


def test_equal_stores_are_explored_once(run: Run, tmp_path: Path) -> None:
    write_stores(tmp_path)
    found = explored_stores(run)
    assert [group["stores"] for group in found["groups"]] == [["a", "b"], ["c"]]
    assert (found["stores"], found["summary"]) == (3, {"error": 0, "warning": 1, "note": 1})


@pytest.mark.parametrize("condition", first_of(["[session].exists(s, s.store == 'a')", "session.store == 'a'"]))
def test_stores_that_a_condition_can_tell_apart_are_explored_each(run: Run, tmp_path: Path, condition: str) -> None:
    write_stores(tmp_path, condition)
    assert [group["stores"] for group in explored_stores(run)["groups"]] == [["a"], ["b"], ["c"]]


def test_the_text_names_equal_stores(run: Run, tmp_path: Path) -> None:
    write_stores(tmp_path)
    ran = run("explore", "--all-stores", *SHORT)
    assert (ran.code, ran.out.count("  the same at b\n"), ran.out.count("customers: ")) == (0, 1, 1)


def test_a_store_with_errors_does_not_hide_the_others(run: Run, tmp_path: Path) -> None:
    write_stores(tmp_path)
    text = (tmp_path / "brand.yaml").read_text()
    (tmp_path / "brand.yaml").write_text(text.replace("maxUpsellOffers: 3", "maxUpsellOffers: many"))
    ran = run("explore", "--all-stores", "--output-format", "json", *SHORT)
    groups = json.loads(ran.out)["groups"]
    assert ran.code == 1
    assert [("result" in group, "errors" in group) for group in groups] == [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("availability", "groups"),
    first_of(
        [
            ("{stores: [a, c]}", [["a"], ["b"], ["c"]]),
            ("{stores: [a, b]}", [["a", "b"], ["c"]]),
            ("{exceptStores: [b]}", [["a"], ["b"], ["c"]]),
            ("{soldOut: true}", [["a", "b"], ["c"]]),
        ],
        2,
    ),
)
def test_stores_that_sell_other_items_are_explored_each(
    run: Run, tmp_path: Path, availability: str, groups: list[list[str]]
) -> None:
    write_stores(tmp_path, fries=f"{{name: Fries, price: 2.20, availability: {availability}}}")
    assert [group["stores"] for group in explored_stores(run)["groups"]] == groups


def test_stores_in_other_time_zones_are_explored_each_where_the_menu_depends_on_the_time(
    run: Run, tmp_path: Path
) -> None:
    tokyo = "{name: b, timeZone: Asia/Tokyo}"
    write_stores(tmp_path, b=tokyo)
    assert [group["stores"] for group in explored_stores(run)["groups"]] == [["a", "b"], ["c"]]
    fries = "{name: Fries, price: 2.20, availability: {hours: [{start: '06:00', end: '10:30'}]}}"
    write_stores(tmp_path, b=tokyo, fries=fries)
    assert [group["stores"] for group in explored_stores(run)["groups"]] == [["a"], ["b"], ["c"]]


def test_an_upsell_of_what_a_store_does_not_sell_is_a_surprise(run: Run, tmp_path: Path) -> None:
    write_stores(tmp_path, fries="{name: Fries, price: 2.20, availability: {exceptStores: [b]}}")
    found = {tuple(group["stores"]): group["result"]["surprises"] for group in explored_stores(run)["groups"]}
    assert [each for each in found["a",] if each["kind"] == "unavailable-item"] == []
    (surprise,) = [each for each in found["b",] if each["kind"] == "unavailable-item"]
    assert surprise["severity"] == "warning"
    assert surprise["message"] == (
        '"Fries" is not offered where it would be: "Fries" is not available: b does not sell it'
    )
