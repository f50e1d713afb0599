"""The settings of an editor."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest

from trialrun.lsp.server.client_options import Wishes, wished


@pytest.mark.parametrize(
    "told",
    [
        {"inlayHints": False},
        {"trialrun": {"inlayHints": False}},
        namedtuple("Object", ["inlayHints"])(False),
        namedtuple("Object", ["trialrun"])({"inlayHints": False}),
    ],
)
def test_settings_are_found_in_whatever_an_editor_puts_them(told: Any) -> None:
    assert wished(Wishes(), told) == (Wishes(inlay_hints=False), [])


@pytest.mark.parametrize("told", [None, {}, [], 7, "x", {"trialrun": None}, {"pause": None}, {"other": 1}])
def test_what_says_nothing_of_ours_changes_nothing(told: Any) -> None:
    before = Wishes(pause=3.0, code_lenses=False)
    assert wished(before, told) == (before, [])


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ({"pause": -1}, "the setting trialrun.pause is -1; write milliseconds, from 0 to 10000"),
        ({"pause": True}, "the setting trialrun.pause is True; write milliseconds, from 0 to 10000"),
        ({"cache": "no"}, "the setting trialrun.cache is 'no'; write true or false"),
        ({"terminalCommand": 1}, "the setting trialrun.terminalCommand is 1; write the name of a command"),
    ],
)
def test_a_wrong_setting_is_told_and_the_others_hold(told: Any, complaint: str) -> None:
    assert wished(Wishes(), {**told, "codeLenses": False}) == (Wishes(code_lenses=False), [complaint])


def test_milliseconds_are_seconds_here() -> None:
    assert wished(Wishes(), {"pause": 250})[0].pause == 0.25
