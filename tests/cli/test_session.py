"""`trialrun session STORE --script FILE`: what the agent does in each turn, and why."""

import json
import os
import re
import select
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cases import first_of, number_of_cases
from tests.cli.example_workspace import EXAMPLE, NOON, copied
from tests.program import Run, own_environment
from trialrun.cli import session as repl
from trialrun.report.terminal_width import width
from trialrun.runtime.channel_config.script import VERBS

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
    assert by_script == told(run, "add Breakfast Smash", "--set", "session.daypartId=breakfast")
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


SCRIPTS = {
    "add Classic Smash\nsay hi; remove Fries": (
        "turn 1  add Classic Smash\n",
        "standard input:2:9\n",
        "2 | say hi; remove Fries\n  |         ^^^^^^^^^^^^\n",
    ),
    "set session.partySise 4": (
        "",
        "1 | set session.partySise 4\n  | ^^^^^^^^^^^^^^^^^^^^^^^\n",
        'did you mean "partySize"?',
    ),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_the_session_does_not_allow_is_shown_after_the_turns_before_it(run: Run, script: str) -> None:
    ran = run("session", "austin-lamar", "--script", "-", *NOON, cwd=EXAMPLE, stdin=script.encode())
    out, *errors = SCRIPTS[script]
    assert (ran.code, out in ran.out) == (2, True)
    assert [error for error in errors if error not in ran.err] == []


REFUSED = {
    "austin-lama --script -": 'there is no store "austin-lama"; did you mean "austin-lamar"?',
    "austin-lamar --script nowhere.txt": "there is no script nowhere.txt",
    "austin-lamar --output-format json": (
        "--output-format json needs a script; add --script FILE, or --script - for standard input"
    ),
    "austin-lamar --script - --set session.x": (
        "--set: the value is missing; write it after =, as in session.partySize=4"
    ),
    "austin-lamar --script - --language en_US": (
        '--language: "en_US" is not a language tag: underscore in a language tag; did you mean "en-US"?'
    ),
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


def typed(run: Run, *lines: str, arguments: tuple[str, ...] = ()) -> str:
    """What is answered to lines from a pipe, after the welcome."""
    text = "".join(f"{line}\n" for line in lines)
    ran = run("session", "austin-lamar", *NOON, *arguments, cwd=EXAMPLE, stdin=text.encode(), COLUMNS="80")
    assert (ran.code, ran.err) == (0, "")
    return ran.out.partition("  offers  nothing\n\n")[2]


def test_a_line_is_a_turn(run: Run) -> None:
    told = typed(run, "add Fries; add Cold Brew")
    assert told.startswith("turn 1  add Fries; add Cold Brew\n")
    assert told.endswith("  order   1 Fries      2.99\n          1 Cold Brew  3.29\n          total        6.28\n\n")


def test_a_mistake_is_shown_under_the_line_and_does_not_end_the_session(run: Run) -> None:
    told = typed(run, "add Frise", "remove Fries", "add Fries")
    assert told.startswith(
        '1 | add Frise\n  |     ^^^^^ there is no "Frise" on the menu; did you mean "Fries"?\n1 | remove Fries\n'
    )
    assert "turn 1  add Fries\n" in told


ANSWERS: dict[tuple[str, ...], str] = {
    ("hepl",): '1 | hepl\n  | ^^^^ there is no "hepl"; did you mean "help"?\n',
    ("help me", "order Fries"): "          help takes no argument\nturn 1  order Fries\n",
    ("help",): "  quantity ITEM 3              set the quantity of an item\n",
    ("?",): "for example  add 2 Classic Smash with Extra Cheese; say that's it for now\n",
    ("why hashbrown",): 'there is no upsell "hashbrown" at this store; did you mean "Hash browns"?',
    ("set session.partySize 4", "state session.partySize", "state session.turn"): (
        "  client  from the welcome on\n  session.partySize  4\n  session.turn  0\n"
    ),
    ("menu shake",): "  Vanilla Shake     4.49\n  Chocolate Shake   4.49\n  Strawberry Shake  4.49\n",
    ("add Fries", "set session.partySize 3", "order"): "turn 2  set session.partySize 3\n",
    ("add Fries", "add Cold Brew", "done", "why fries with burgers"): "\n\nturn 2  add Cold Brew\n  skips",
}


@pytest.mark.parametrize("lines", ANSWERS, ids="; ".join)
def test_a_line_is_answered(run: Run, lines: tuple[str, ...]) -> None:
    told = typed(run, *lines)
    assert ANSWERS[lines] in told or ANSWERS[lines] in " ".join(told.split()), told


def test_why_shows_the_condition_of_an_upsell_part_by_part(run: Run) -> None:
    assert typed(run, "add Fries", "why fries with burgers").partition("\n\n")[2] == (
        "turn 1  add Fries\n"
        "  offers  Fries with Large Side (Fries with burgers)\n"
        "          its condition is true\n"
        "          channels/drive-thru-speed.yaml:28\n"
        "          true   order.items.size() == 1 && order.subtotal < 9.0\n"
        "            true   order.items.size() == 1\n"
        "              order.items.size() = 1\n"
        "                order.items = [1 Fries]\n"
        "            true   order.subtotal < 9.0\n"
        "              order.subtotal = 2.99\n"
    )


def test_undo_takes_the_last_turn_back(run: Run) -> None:
    told = typed(run, "add Fries", "add Cold Brew", "undo", "order", "undo", "undo", "order")
    assert told.partition("  undone")[2] == (
        "  add Cold Brew\n"
        "  order   1 Fries  2.99\n"
        "  undone  add Fries\n"
        "          there is nothing to undo\n"
        "  order   nothing\n"
    )


def test_what_is_saved_plays_as_it_was_typed(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "typed.txt"
    lines = ("set session.partySize 4", "add 2 Fries  # twice", "add Frise", "speak es-US", f"save {script}", "done")
    told = typed(run, *lines, arguments=("--set", "session.daypartId=late-night"))
    assert "its first line shows how to run it" in " ".join(told.split())
    assert script.read_text(encoding="utf-8") == (
        f"# trialrun session austin-lamar --seed 0 --at 2026-11-20T12:00:00Z --script {script}\n"
        'set session.daypartId "late-night"\n'
        "set session.partySize 4\n"
        "add 2 Fries\n"
        "speak es-US\n"
    )


def test_a_file_that_is_no_saved_script_is_not_written_over(run: Run, tmp_path: Path) -> None:
    (tmp_path / "menu.yaml").write_text("kind: Menu\n", encoding="utf-8")
    assert "is not a saved script; choose another name" in typed(run, f"save {tmp_path / 'menu.yaml'}")
    assert (tmp_path / "menu.yaml").read_text(encoding="utf-8") == "kind: Menu\n"


class Terminal:
    """The program at a terminal."""

    def __init__(self, process: int, descriptor: int) -> None:
        self._process, self._descriptor = process, descriptor
        self.shown = ""

    def types(self, keys: str, *, until: str) -> str:
        """Press keys; what is shown from then on, up to some words of it."""
        start = len(self.shown)
        os.write(self._descriptor, keys.encode())
        self.read(until)
        return self.shown[start:]

    def presses(self, key: str, *, until: str) -> None:
        """Press a key, again where it was not noticed: Python may miss one while it goes from one key to the next."""
        wait = 0
        while not self._has_shown(until, 0, wait=wait):
            os.write(self._descriptor, key.encode())
            wait = 2

    def read(self, until: str) -> None:
        assert self._has_shown(until, len(self.shown), wait=30), self.shown

    def _has_shown(self, text: str, start: int, *, wait: int) -> bool:
        while text not in self.shown[start:] and select.select([self._descriptor], [], [], wait)[0]:
            try:
                part = os.read(self._descriptor, 4096)
            except OSError:  # it has ended
                break
            self.shown += part.decode(errors="replace").replace("\r\n", "\n")
        return text in self.shown[start:]

    def ended(self) -> int:
        """The exit code."""
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])


@contextmanager
def terminal(folder: Path) -> Iterator[Terminal]:
    process, descriptor = pytest.importorskip("pty").fork()
    if process == 0:
        os.chdir(EXAMPLE)
        words = [sys.executable, "-m", "trialrun", "session", "austin-lamar", *NOON, "--color", "never"]
        os.execve(
            sys.executable, words, own_environment(folder) | {"TERM": "xterm", "COLUMNS": "80", "INPUTRC": "/dev/null"}
        )
    try:
        shown = Terminal(process, descriptor)
        shown.read("turn 1> ")
        yield shown
    finally:
        os.close(descriptor)


@pytest.mark.exhaustive
def test_the_prompt_has_the_turn_and_the_total_and_the_end_of_the_input_ends_it_well(tmp_path: Path) -> None:
    with terminal(tmp_path) as shown:
        shown.types("add Fries\r", until="turn 2, 2.99> ")
        shown.types("done\r", until="complete, 2.99> ")
        shown.types("\x04", until="\n")
        assert shown.ended() == 0


def test_an_interrupt_ends_it_with_the_code_of_the_contract(tmp_path: Path) -> None:
    with terminal(tmp_path) as shown:
        shown.types("add Fr", until="add Fr")
        shown.presses("\x03", until="press Ctrl-C again")
        shown.presses("\x03", until="interrupted")
        assert shown.ended() == 130


def test_the_tab_key_completes_verbs_items_modifiers_and_upsells(tmp_path: Path) -> None:
    pytest.importorskip("readline")
    with terminal(tmp_path) as shown:
        shown.types("add clas\t", until="Classic Smash")
        assert "Extra Cheese  Extra Patty" in shown.types(" with ext\t\t\t", until="Patty")
        shown.types("Cheese\r", until="turn 2, 6.49> ")
        assert "skips   Make it a combo" in shown.types("wh\tma\t\r", until="\nturn 2, 6.49> ")
        shown.types("\x04", until="\n")
        assert shown.ended() == 0


PAGE = (Path(__file__).parents[2] / "docs" / "session.md").read_text(encoding="utf-8")
PROMPT = re.compile(r"^turn \d+(?:, [\d.]+)?> (.*)\n", re.MULTILINE)
TYPED, SCRIPT = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


def test_the_session_that_is_typed(run: Run) -> None:
    first, _, shown = TYPED.partition("\n")
    lines = "".join(f"{line}\n" for line in PROMPT.findall(shown))
    ran = run(*shlex.split(first.removeprefix("$ trialrun ")), cwd=EXAMPLE, stdin=lines.encode(), COLUMNS="80")
    assert (ran.code, ran.out) == (0, PROMPT.sub("", shown))


def test_the_script(run: Run) -> None:
    ran = run("session", "toronto-queen-west", "--script", "-", *NOON, cwd=EXAMPLE, stdin=SCRIPT.encode())
    assert (ran.code, ran.err) == (0, "")


def test_every_spelling_of_a_verb_is_on_the_page() -> None:
    table = PAGE.partition("### Scripts")[2]
    spellings = [spelling for verb in VERBS for spelling in verb.spellings if "’" not in spelling]
    assert [spelling for spelling in spellings if not re.search(rf"`{spelling}\b", table)] == []


def asking(monkeypatch: pytest.MonkeyPatch, *answers: str | type[BaseException]) -> Callable[[], str | None]:
    """The prompt of a session at a terminal where a person types these lines, or presses Ctrl-C."""
    left = list(answers)

    def answer(prompt: str) -> str:
        following = left.pop(0)
        if isinstance(following, str):
            return following
        raise following

    monkeypatch.setattr("builtins.input", answer)
    monkeypatch.setattr(repl, "_completer", lambda conversation: None)
    sheet = SimpleNamespace(paint=lambda text, style: text)
    return repl._terminal_lines(cast("Any", SimpleNamespace(prompt="> ", sheet=sheet)))


def test_a_second_interrupt_in_a_row_leaves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = asking(monkeypatch, KeyboardInterrupt, "add Fries", KeyboardInterrupt, "done", *[KeyboardInterrupt] * 2)
    assert [asked() for _ in range(5)] == ["", "add Fries", "", "done", ""]
    assert "the session continues" in capsys.readouterr().out
    with pytest.raises(KeyboardInterrupt):
        asked()
