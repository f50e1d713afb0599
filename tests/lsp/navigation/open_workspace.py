"""A workspace of some texts, open as in an editor, and places in them by the words that stand there."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from trialrun.diagnostic import Range, TextEdit
from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def opened(folder: Path, **texts: str) -> OpenWorkspace:
    """A workspace of files by their names without `.yaml`, in a folder that is the working directory."""
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return live(folder)


def live(folder: Path) -> OpenWorkspace:
    """The workspace in a folder."""
    return OpenWorkspace(CheckRequest(str(folder), NOW, Profiles(Settings()), cache=False))


def at(live: OpenWorkspace, path: str, words: str) -> int:
    """Where some words stand, or `|` in them."""
    plain = words.replace("|", "", 1)
    return text(live, path).index(plain) + max(words.find("|"), 0)


def text(live: OpenWorkspace, path: str) -> str:
    """The text of a file."""
    reading = live.workspace_file(path)
    assert reading is not None
    return reading.source.text


def words(live: OpenWorkspace, path: str, place: Range) -> str:
    """The characters of a place."""
    reading = live.workspace_file(path)
    assert reading is not None
    return reading.source.text[reading.source.offset(place.start) : reading.source.offset(place.end)]


def edited(live: OpenWorkspace, path: str, edits: tuple[TextEdit, ...]) -> str:
    """The text of a file after some edits."""
    reading = live.workspace_file(path)
    assert reading is not None
    made, source = reading.source.text, reading.source
    for edit in sorted(edits, key=lambda one: one.range, reverse=True):
        made = made[: source.offset(edit.range.start)] + edit.text + made[source.offset(edit.range.end) :]
    return made
