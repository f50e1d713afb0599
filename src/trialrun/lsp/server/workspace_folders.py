"""Which workspace a file belongs to, where the client has several folders open."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence

from trialrun.lsp.analysis.folder_analysis import Client, FolderAnalysis
from trialrun.lsp.analysis.options import Options
from trialrun.workspace.discovery import workspace_root

MAX_ADHOC_WORKSPACES = 8
"""Workspaces for files outside of the folders of the client; further ones share the first."""


class WorkspaceFolders:
    """A file belongs to the innermost folder, or to the first one if it is in none.

    A workspace inside of a folder, with its own settings, has an analysis of its own. Each is begun when a file of its
    folder is opened or all are needed, the first one as soon as there is nothing else to do.
    """

    def __init__(self, options: Options, client: Client) -> None:
        self._options = options
        self._client = client
        self._folders: list[str] = []
        self._analyses: dict[str, FolderAnalysis] = {}

    def add(self, folder: str) -> None:
        """The client has opened a folder."""
        if folder not in self._folders:
            self._folders.append(folder)

    def remove(self, folder: str) -> None:
        """The client has closed a folder."""
        if folder in self._folders:
            self._folders.remove(folder)
        inside = os.path.join(folder, "")
        nested = [other for other in self._analyses if other.startswith(inside) and other not in self._folders]
        for removed in (folder, *nested):
            if self._analyses.pop(removed, None) is not None:
                gc.unfreeze()  # what it kept is garbage now

    def of(self, file: str) -> FolderAnalysis:
        """The analysis for a file. If no folder is open, that of its own folder, up to a limit."""
        enclosing = [
            folder for folder in {*self._folders, *self._analyses} if file.startswith(os.path.join(folder, ""))
        ]
        if enclosing:
            folder, root = max(enclosing, key=len), workspace_root(os.path.dirname(file))
            return self.at(root if root.startswith(os.path.join(folder, "")) else folder)
        if not self._folders and len(self._analyses) < MAX_ADHOC_WORKSPACES:
            return self.at(os.path.dirname(file))
        return self.at([*self._folders, *self._analyses][0])

    def by_workspace(self, files: Sequence[str]) -> Iterator[tuple[FolderAnalysis, list[str]]]:
        """The running analyses, each with the files that are in its workspace.

        Folders may be parts of one workspace: a file may belong to several of them.
        """
        for folder, analysis in [*self._analyses.items()]:
            inside = os.path.join(workspace_root(folder), "")
            changed = [file for file in files if file.startswith(inside)]
            if changed:
                yield analysis, changed

    def all(self) -> list[FolderAnalysis]:
        """The analyses of all folders, started if needed."""
        for folder in self._folders:
            self.at(folder)
        return [*self._analyses.values()]

    def set_options(self, options: Options) -> None:
        """The options changed."""
        if options != self._options:
            self._options = options
            for analysis in self._analyses.values():
                analysis.reload(options)

    @property
    def options(self) -> Options:
        """The current options."""
        return self._options

    def running(self) -> list[FolderAnalysis]:
        """The analyses so far, or that of the first folder."""
        if self._folders and not self._analyses:
            self.at(self._folders[0])
        return [*self._analyses.values()]

    def at(self, folder: str) -> FolderAnalysis:
        """The analysis of a folder, begun if needed."""
        analysis = self._analyses.get(folder)
        if analysis is None:
            analysis = self._analyses[folder] = FolderAnalysis(folder, self._options, self._client)
        return analysis
