"""Add a `[[suppress]]` table to the settings, where no comment can be written, as in JSON."""

from __future__ import annotations

import json
import os
import re
import tomllib
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import Range, TextEdit
from trialrun.lsp.results import FileEdits
from trialrun.text import Source
from trialrun.working_folder import absolute_path, relative_path

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.open_workspace import OpenWorkspace

SETTINGS: Final = "trialrun.toml"
_glob = re.compile(r"[*?\[\]{}!\\]")


def ignore_in_settings(workspace: OpenWorkspace, diagnostic: Diagnostic) -> FileEdits | None:
    """The edit that adds a table to the settings file, or makes one at the root of the workspace.

    None if the finding cannot be silenced, its path cannot be named, or the file could not be read with the table.
    """
    from trialrun.display_path import display_path
    from trialrun.lint.suppression.suppressor import NOT_SUPPRESSIBLE

    profiles = workspace.request.profiles
    place = profiles.path_of_settings(diagnostic.path)
    file = profiles.settings.file or os.path.join(workspace.request.root, SETTINGS)
    if profiles.settings.file is None:
        place = relative_path(diagnostic.path, workspace.request.root).replace(os.sep, "/")
    if (
        diagnostic.rule in NOT_SUPPRESSIBLE
        or diagnostic.rule == "unexplained-suppression"
        or place.startswith("../")
        or _glob.search(place)
    ):
        return None
    shown = display_path(absolute_path(file))
    data = workspace.files.bytes_of(shown)
    before = "" if data is None else data.decode("utf-8", "replace").removeprefix("\ufeff")
    name = "tool.trialrun.suppress" if os.path.basename(file) == "pyproject.toml" else "suppress"
    added = _table(before, name, diagnostic, place)
    if not _reads(before, added, name):
        return None
    end = Source(shown, before).position(len(before))
    return FileEdits(shown, (TextEdit(Range(end, end), added),), creates=data is None)


def _table(before: str, name: str, diagnostic: Diagnostic, place: str) -> str:
    from trialrun.lint.suppression.directive import REASON_PLACEHOLDER

    line_break = "\r\n" if "\r\n" in before else "\n"
    apart = "" if not before.strip() else line_break if before.endswith(("\n", "\r")) else 2 * line_break
    pointer = [f"pointer = {_text(diagnostic.pointer)}"] if diagnostic.pointer else []
    lines = [f"[[{name}]]", f"path = {_text(place)}", *pointer, f"rule = {_text(diagnostic.rule)}",
             f"reason = {_text(REASON_PLACEHOLDER)}"]  # fmt: skip
    return apart + "".join(line + line_break for line in lines)


def _text(text: str) -> str:
    """A text of TOML, whose escapes are those of JSON; it has no delete character unchanged."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _reads(before: str, added: str, name: str) -> bool:
    """Whether the settings can be read with the table, and have one table more."""
    try:
        return len(_tables(before + added, name)) == len(_tables(before, name)) + 1
    except tomllib.TOMLDecodeError:
        return False


def _tables(text: str, name: str) -> list[Any]:
    value: Any = tomllib.loads(text)
    for step in name.split("."):
        value = value.get(step, {}) if isinstance(value, dict) else {}
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
