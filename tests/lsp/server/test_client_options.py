"""The settings of an editor, and what it is asked to watch."""

from collections import namedtuple
from fnmatch import fnmatchcase
from typing import Any

import pytest

from tests.cases import each_of
from trialrun.lsp.server.client import ClientOptions, apply_client_options
from trialrun.lsp.server.language_server import GLOBS
from trialrun.runtime.feature_view.source.location import ENDINGS as OF_TABLES
from trialrun.workspace.discovery import SETTINGS_FILES
from trialrun.workspace.walk import ENDINGS


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
    assert apply_client_options(ClientOptions(), told) == (ClientOptions(inlay_hints=False), [])


@each_of([None, {}, [], 7, "x", {"trialrun": None}, {"pause": None}, {"other": 1}])
def test_what_says_nothing_of_ours_changes_nothing(told: Any) -> None:
    before = ClientOptions(debounce=3.0, code_lenses=False)
    assert apply_client_options(before, told) == (before, [])


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ({"pause": -1}, "the setting trialrun.pause is -1; write milliseconds, from 0 to 10000"),
        ({"pause": True}, "the setting trialrun.pause is True; write milliseconds, from 0 to 10000"),
        ({"cache": "no"}, "the setting trialrun.cache is 'no'; write true or false"),
        ({"terminalCommand": 1}, "the setting trialrun.terminalCommand is 1; write the name of a command"),
    ],
)
def test_a_wrong_setting_is_reported_and_the_others_hold(told: Any, complaint: str) -> None:
    assert apply_client_options(ClientOptions(), {**told, "codeLenses": False}) == (
        ClientOptions(code_lenses=False),
        [complaint],
    )


def test_milliseconds_are_seconds_here() -> None:
    assert apply_client_options(ClientOptions(), {"pause": 250})[0].debounce == 0.25


CASES = [case(ending) for ending in ENDINGS for case in (str.upper, str.title)]
NAMES = [f"deep/inside/a{ending}" for ending in (*ENDINGS, *CASES, *OF_TABLES)] + [
    f"deep/{name}" for name in (*SETTINGS_FILES, "terraform.tfvars", "a.auto.tfvars", "a.auto.tfvars.json")
]


def is_watched(name: str) -> bool:
    """Whether a glob has a name; those of the protocol list endings in braces."""
    plain = [glob.partition("{")[0] + end for glob in GLOBS for end in glob.partition("{")[2].rstrip("}").split(",")]
    return any(fnmatchcase(name, glob.replace("**/", "*/")) for glob in plain)


@each_of(NAMES)
def test_every_file_that_can_change_a_finding_is_watched(name: str) -> None:
    assert is_watched(name)


def test_other_files_are_not() -> None:
    assert not is_watched("deep/README.md")
