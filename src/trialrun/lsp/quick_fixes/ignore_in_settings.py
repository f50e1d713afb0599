"""Add a `[[suppress]]` table to the settings, where no comment can be written, as in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Range, TextEdit
from trialrun.lsp.results import FileEdits
from trialrun.text import Source
from trialrun.working_folder import absolute_path

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.open_workspace import OpenWorkspace


def ignore_in_settings(workspace: OpenWorkspace, diagnostic: Diagnostic) -> FileEdits | None:
    """The edit that adds a table to the settings file, or makes one at the root of the workspace.

    None if the finding cannot be silenced, its path cannot be named, or the file could not be read with the table.
    """
    from trialrun.display_path import display_path
    from trialrun.lint.suppression.add_ignores import NOT_OFFERED, suppress_table, table_place
    from trialrun.lint.suppression.suppression import REASON_PLACEHOLDER

    place = table_place(diagnostic.path, workspace.request.profiles, workspace.request.root)
    if place is None or diagnostic.rule in NOT_OFFERED:
        return None
    shown = display_path(absolute_path(place.file))
    data = workspace.files.bytes_of(shown)
    before = "" if data is None else data.decode("utf-8", "replace").removeprefix("\ufeff")
    added = suppress_table(before, place, diagnostic.pointer, [diagnostic.rule], REASON_PLACEHOLDER)
    if added is None:
        return None
    end = Source(shown, before).position(len(before))
    return FileEdits(shown, (TextEdit(Range(end, end), added),), creates=data is None)
