"""`trialrun session STORE` without a script: type what the customer does, see what the agent does."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.example_workspace import EXAMPLE, NOON
from tests.program import Run, own_environment


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


def test_a_command_that_is_nearly_one_is_told(run: Run) -> None:
    assert typed(run, "hepl") == '1 | hepl\n  | ^^^^ there is no "hepl"; did you mean "help"?\n'


def test_a_command_that_takes_nothing_says_so(run: Run) -> None:
    assert typed(run, "help me", "order Fries").startswith("          help takes no argument\nturn 1  order Fries\n")


def test_help_has_every_verb_and_an_example_of_the_menu(run: Run) -> None:
    told = typed(run, "help")
    assert "  quantity ITEM 3              set the quantity of an item\n" in told
    assert "for example  add 2 Classic Smash with Extra Cheese; say that's it for now\n" in told


def test_why_shows_the_condition_of_an_upsell_part_by_part(run: Run) -> None:
    told = typed(run, "add Fries", "why fries with burgers").partition("\n\n")[2]
    assert told == (
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


def test_why_tells_of_the_last_turn_that_spoke_of_the_upsell(run: Run) -> None:
    told = typed(run, "add Fries", "add Cold Brew", "done", "why fries with burgers")
    assert told.rpartition("\n\n")[2].startswith("turn 2  add Cold Brew\n")


def test_what_is_set_later_is_a_turn(run: Run) -> None:
    told = typed(run, "add Fries", "set session.partySize 3", "order")
    assert "turn 2  set session.partySize 3\n" in told
    assert told.endswith("  order   1 Fries  2.99\n")


def test_why_asked_of_no_upsell_names_the_nearest(run: Run) -> None:
    assert 'did you mean "Hash browns"?' in " ".join(typed(run, "why hashbrown").split())


def test_undo_takes_the_last_turn_back(run: Run) -> None:
    told = typed(run, "add Fries", "add Cold Brew", "undo", "order", "undo", "undo", "order")
    assert told.partition("  undone")[2] == (
        "  add Cold Brew\n"
        "  order   1 Fries  2.99\n"
        "  undone  add Fries\n"
        "          there is nothing to undo\n"
        "  order   nothing\n"
    )


def test_what_is_set_first_holds_from_the_welcome_on(run: Run) -> None:
    told = typed(run, "set session.partySize 4", "state session.partySize", "state session.turn")
    assert told == "  client  from the welcome on\n  session.partySize  4\n  session.turn  0\n"


def test_the_menu_is_searched_by_a_word(run: Run) -> None:
    told = "  Vanilla Shake     4.49\n  Chocolate Shake   4.49\n  Strawberry Shake  4.49\n"
    assert typed(run, "menu shake") == told


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
    pty = pytest.importorskip("pty")
    process, descriptor = pty.fork()
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
