"""Internal errors are reported once, and the server goes on."""

import os
import signal
from pathlib import Path

import pytest

from tests.lsp.guard.test_guard import SLOW
from tests.lsp.server.raw_client import Wire, wired
from tests.lsp.server.test_start_and_end import children
from tests.program import SOURCE, view

WRONG = view(cron="0 3 * *")
LONG = "\n".join(SLOW.decode().split("\n")[:4000])
FAILS = "id: fails\non: SyncConfig\ncheck: self.cron.split(' ')[7] == ''\nmessage: m\n"
CRASH = """\
from trialrun.lint import registry

rule = registry.load("cron-rare")


def broken(sync):
    raise ZeroDivisionError("planted")
    yield


broken.__rule__ = rule.checks[0].__rule__
object.__setattr__(rule, "checks", (broken,))
"""
"""What Python runs at its start: a rule of ours fails from then on, in every process."""


def ask_what_takes_long(wire: Wire) -> int:
    """Ask for the actions of a text whose findings take long; the number of the question."""
    wire.open("slow.yaml", LONG)
    named = {"uri": wire.uri("slow.yaml")}
    start = {"line": 0, "character": 0}
    asked = {"textDocument": named, "range": {"start": start, "end": start}, "context": {"diagnostics": []}}
    return wire.request("textDocument/codeAction", asked)


def test_a_rule_that_fails_is_reported_once_and_the_others_go_on(tmp_path: Path) -> None:
    crash = tmp_path / "crash"
    crash.mkdir()
    (crash / "sitecustomize.py").write_text(CRASH)
    with wired(tmp_path, PYTHONPATH=f"{SOURCE}{os.pathsep}{crash}") as wire:
        wire.begin()
        wire.open("view.yaml", WRONG)
        wire.open("other.yaml", view("w", cron="0 4 * *"))
        assert "ZeroDivisionError: planted" in wire.message()
        wire.change("view.yaml", 2, {"text": WRONG + "#\n"})
        wire.findings("view.yaml", "internal-error", "cron-syntax")
        assert wire.end() == 0
        assert len(wire.shown) == 1


@pytest.mark.exhaustive
def test_an_office_that_is_killed_is_followed_by_another(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        wire.open("view.yaml", WRONG)
        wire.findings("view.yaml", "cron-syntax")
        for version in (2, 4, 6):
            for analysis in children(wire.process.pid):
                os.kill(analysis, signal.SIGKILL)
            wire.change("view.yaml", version, {"text": view()})
            wire.findings("view.yaml")
            wire.change("view.yaml", version + 1, {"text": WRONG})
            wire.findings("view.yaml", "cron-syntax")
        assert wire.end() == 0


@pytest.mark.exhaustive
def test_a_text_that_takes_too_long_keeps_nobody_waiting(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        wire.open("view.yaml", WRONG)
        wire.findings("view.yaml", "cron-syntax")
        wire.open("slow.yaml", SLOW.decode())
        wire.change("slow.yaml", 2, {"text": view("w")})
        wire.open("other.yaml", view("x", cron="0 3 * *"))
        wire.findings("other.yaml", "cron-syntax")
        hover = {"textDocument": {"uri": wire.uri("view.yaml")}, "position": {"line": 3, "character": 10}}
        assert "error" not in wire.ask("textDocument/hover", hover)
        assert wire.end() == 0


def test_a_question_that_is_cancelled_is_answered_at_once(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        number = ask_what_takes_long(wire)
        wire.tell("$/cancelRequest", {"id": number})
        assert wire.hear(lambda message: message.get("id") == number)["error"]["code"] == -32800
        assert wire.end() == 0


def test_an_answer_about_an_older_text_is_refused(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        number = ask_what_takes_long(wire)
        wire.change("slow.yaml", 2, {"text": view("w")})
        assert wire.hear(lambda message: message.get("id") == number)["error"]["code"] == -32801
        assert wire.end() == 0


@pytest.mark.exhaustive
def test_a_text_that_is_far_too_long_keeps_nobody_waiting(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        wire.open("view.yaml", WRONG)
        wire.findings("view.yaml", "cron-syntax")
        wire.open("long.yaml", view("l") + "# a comment 🍔\n" * 1_500_000)
        wire.change("view.yaml", 2, {"text": view()})
        wire.findings("view.yaml")
        wire.change("long.yaml", 2, {"text": view("l")})
        wire.findings("long.yaml")
        assert wire.end() == 0
