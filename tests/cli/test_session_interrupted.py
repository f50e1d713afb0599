"""Ctrl-C at the prompt of a session keeps it, and a second one in a row leaves."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from trialrun.cli import session as repl


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


def test_an_interrupt_keeps_the_session(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked = asking(monkeypatch, KeyboardInterrupt, "add Fries", KeyboardInterrupt, "done")
    assert [asked() for _ in range(4)] == ["", "add Fries", "", "done"]
    assert "the session continues" in capsys.readouterr().out


def test_a_second_interrupt_in_a_row_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asking(monkeypatch, KeyboardInterrupt, KeyboardInterrupt)
    assert asked() == ""
    with pytest.raises(KeyboardInterrupt):
        asked()
