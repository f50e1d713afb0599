"""`trialrun session STORE --script FILE`: what the agent does in each turn, and why."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cases import first_of, number_of_cases
from tests.cli.example_workspace import EXAMPLE, NOON, copied
from tests.program import Run, own_environment
from trialrun.report.terminal_width import width

LUNCH = """\
# a party at noon
set session.daypartId lunch
set session.partySize 4

add 2 Classic Smash with No Onions, Extra Cheese
add Fries; say chicken nuggets and a malt   # neither is on the menu
accept
done
"""


def played(run: Run, script: str, *arguments: str, store: str = "austin-lamar", **environment: str) -> str:
    """What a script shows at a store of the example workspace."""
    words = ("session", store, "--script", "-", *NOON, *arguments)
    ran = run(*words, cwd=EXAMPLE, stdin=script.encode(), **environment)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def told(run: Run, script: str, *arguments: str, store: str = "austin-lamar") -> Any:
    return json.loads(played(run, script, "--output-format", "json", *arguments, store=store))


@pytest.mark.parametrize("columns", ["60", "80"])
def test_a_person_reads_what_the_agent_does_and_why(run: Run, snapshot: SnapshotAssertion, columns: str) -> None:
    assert played(run, LUNCH, COLUMNS=columns) == snapshot


def test_what_the_agent_is_reported_and_can_do_is_shown_with_its_origin(run: Run) -> None:
    shown = played(run, "", "--instructions", COLUMNS="80")
    assert "  gets    Be friendly.\n          channels/house-voice.yaml:6\n" in shown
    assert "  tool    collect_name: Records the customer's name with the order.\n" in shown


def test_no_line_is_wider_than_the_terminal_but_for_a_path(run: Run) -> None:
    lines = played(run, LUNCH, "--instructions", COLUMNS="60").splitlines()
    wide = [line for line in lines if width(line) > 60]
    assert [line for line in wide if " " in line.strip()] == []


def test_programs_read_the_whole_session(run: Run) -> None:
    session = told(run, LUNCH)
    assert {"version", "store", "seed", "instructions", "tools", "turns"} <= session.keys()
    assert [turn["turn"] for turn in session["turns"]] == [0, 1, 2, 3, 4]
    turn = session["turns"][2]
    assert turn["customer"] == "add Fries; say chicken nuggets and a malt"
    assert [term["kind"] for term in turn["mapped"]] == ["INVALID_ITEM", "DISAMBIGUATION"]
    assert [offer["items"] for offer in turn["offered"]] == [["Fountain Drink", "Lemonade", "Iced Tea"]]
    assert turn["offered"][0]["from"] == {
        "level": "brand-default",
        "config": "projects/smashwell-prod/locations/us-central1/brands/smashwell/channelConfigs/everyday-upsells",
        "path": "channels/everyday-upsells.yaml",
        "line": 35,
    }
    assert session["turns"][3]["order"][-1]["item"] == "Fountain Drink"


def test_a_condition_has_the_value_of_each_of_its_parts(run: Run) -> None:
    conditions = told(run, LUNCH)["turns"][1]["conditions"]
    (fries,) = [condition for condition in conditions if condition["upsell"] == "Fries with burgers"]
    parts = {part["text"]: part["value"] for part in fries["parts"]}
    assert fries["value"] is False
    assert (parts["order.items.size() == 1"], parts["order.subtotal < 9.0"], parts["order.subtotal"]) == (
        True,
        False,
        12.98,
    )


def test_what_is_set_first_holds_from_the_welcome_on_and_is_no_turn(run: Run) -> None:
    by_script = told(run, "set session.daypartId breakfast\nadd Breakfast Smash")
    by_option = told(run, "add Breakfast Smash", "--set", "session.daypartId=breakfast")
    assert by_script == by_option
    assert [turn["turn"] for turn in by_script["turns"]] == [0, 1]


def test_the_language_of_the_customer(run: Run) -> None:
    (welcome,) = told(run, "", "--language", "fr-CA", store="montreal-plateau")["turns"]
    assert welcome["said"][0]["text"].startswith("Bonjour")


@pytest.mark.generated
@pytest.mark.parametrize("form", first_of([["--output-format", "json"], []]))
def test_the_same_script_seed_and_time_give_the_same_bytes_anywhere(process: Run, run: Run, form: list[str]) -> None:
    places = [("1", "Asia/Tokyo", "C"), ("77", "America/Chicago", "en_US.UTF-8")][: number_of_cases(2)]
    seen = {
        played(process, LUNCH, *form, PYTHONHASHSEED=seed, TZ=zone, LANG=language, PYTHONUTF8="1")
        for seed, zone, language in places
    }
    assert seen == {played(run, LUNCH, *form)}


def test_all_that_is_wrong_with_a_script_is_shown_at_its_place(run: Run, tmp_path: Path) -> None:
    (tmp_path / "lunch.txt").write_text("add Frise\nacept; add Fries with Gold\n", encoding="utf-8")
    ran = run("session", "austin-lamar", "--script", str(tmp_path / "lunch.txt"), *NOON, cwd=EXAMPLE)
    assert (ran.code, ran.out) == (2, "")
    assert 'error[script]: there is no "Frise" on the menu; did you mean "Fries"?\n' in ran.err
    assert f"{tmp_path}/lunch.txt:1:5\n  |\n1 | add Frise\n  |     ^^^^^\n" in ran.err
    assert f"{tmp_path}/lunch.txt:2:1\n" in ran.err
    assert '"Fries" does not take "Gold"; it takes Regular Side, Large Side' in ran.err


def test_a_move_that_the_session_does_not_allow_is_shown_after_the_turns_before_it(run: Run) -> None:
    script = b"add Classic Smash\nsay hi; remove Fries"
    ran = run("session", "austin-lamar", "--script", "-", *NOON, cwd=EXAMPLE, stdin=script)
    assert ran.code == 2
    assert "turn 1  add Classic Smash\n" in ran.out
    assert "standard input:2:9\n" in ran.err
    assert "2 | say hi; remove Fries\n  |         ^^^^^^^^^^^^\n" in ran.err


def test_a_value_that_the_state_does_not_take_is_shown_in_the_script(run: Run) -> None:
    ran = run("session", "austin-lamar", "--script", "-", *NOON, cwd=EXAMPLE, stdin=b"set session.partySise 4")
    assert ran.code == 2
    assert "1 | set session.partySise 4\n  | ^^^^^^^^^^^^^^^^^^^^^^^\n" in ran.err
    assert 'did you mean "partySize"?' in ran.err


REFUSED = {
    "austin-lama --script -": 'there is no store "austin-lama"; did you mean "austin-lamar"?',
    "austin-lamar --script nowhere.txt": "there is no script nowhere.txt",
    "austin-lamar --output-format "
    "json": "--output-format json needs a script; add --script FILE, or --script - for standard input",
    "austin-lamar --script - --set session.x": "--set: the value is missing; write it after =, "
    "as in session.partySize=4",
    "austin-lamar --script - --language en_US": '--language: "en_US" is not a language tag: underscore in a language '
    'tag; did you mean "en-US"?',
}


@pytest.mark.parametrize("line", REFUSED)
def test_a_command_line_that_cannot_be_carried_out_is_told(run: Run, line: str) -> None:
    ran = run("session", *line.split(), *NOON, cwd=EXAMPLE, stdin=b"")
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {REFUSED[line]}\n")


def test_a_store_whose_documents_have_errors_is_not_played(run: Run, tmp_path: Path) -> None:
    copied(tmp_path)
    file = tmp_path / "channels" / "everyday-upsells.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("priority: 1\n", "priority: one\n", 1), encoding="utf-8")
    ran = run("session", "austin-lamar", "--script", "-", *NOON, stdin=b"")
    assert (ran.code, ran.out) == (1, "")
    assert "channels/everyday-upsells.yaml" in ran.err


@pytest.mark.exhaustive
def test_a_reader_that_stops_reading_ends_it_quietly(tmp_path: Path) -> None:
    words = f"{sys.executable} -m trialrun session austin-lamar --script /dev/null --instructions | head -1"
    done = subprocess.run(
        words, shell=True, cwd=EXAMPLE, env=own_environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("austin-lamar  seed 0")


def test_programs_read_utf_8_whatever_the_encoding_of_the_output_is(run: Run) -> None:
    script = "say 🍟, s'il vous plaît"
    plain = played(run, script, "--output-format", "json", store="toronto-queen-west", PYTHONIOENCODING="ascii")
    assert json.loads(plain) == told(run, script, store="toronto-queen-west")
    assert "🍟" in plain


def test_why_nobody_is_greeted_is_told(run: Run) -> None:
    welcome = told(run, "", store="los-angeles-sunset")["turns"][0]
    assert (welcome["said"], welcome["silence"]) == ([], "the agent only listens: interactionMode is LISTEN_ONLY")
    assert told(run, "")["turns"][0]["silence"] is None
    shown = played(run, "", store="los-angeles-sunset", COLUMNS="80")
    assert "welcome  en-US\n  says    nothing: the agent only listens: interactionMode is LISTEN_ONLY\n" in shown


def test_terms_that_are_never_heard_are_told_where_they_stand(run: Run, tmp_path: Path) -> None:
    folder = copied(tmp_path / "work")
    voice = folder / "channels" / "house-voice.yaml"
    voice.write_text(voice.read_text().replace("[hamburger, regular burger, single]", "[single, '?!']"))
    words = ("session", "austin-lamar", "--script", "-", *NOON)
    (unheard,) = json.loads(run(*words, "--output-format", "json", cwd=folder, stdin=b"").out)["unheard"]
    assert (unheard["term"], unheard["reason"]) == ("?!", "it contains no word that a customer could say")
    assert (unheard["from"]["path"], unheard["from"]["line"]) == ("channels/house-voice.yaml", 48)
    shown = run(*words, cwd=folder, stdin=b"", COLUMNS="80").out
    assert '  unused  "?!": it contains no word that a customer could say\n' in shown
    assert "          channels/house-voice.yaml:48\n" in shown
