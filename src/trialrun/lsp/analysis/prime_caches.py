"""Work that requests would otherwise wait for: imports, and the symbol index of the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.lsp.features import feature, offered

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile


class CachePrimer:
    """Primes the caches of a workspace in small steps, when nothing else is left to do."""

    def __init__(self, workspace: OpenWorkspace) -> None:
        self._live = workspace
        self._revision = -1
        self._features = offered()
        self._paths: list[str] = []
        self._parsed_file: WorkspaceFile | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether `step` has work left."""
        return bool(self._features or self._paths or self._parsed_file) or self._revision != self._live.revision

    @property
    def next_path(self) -> str | None:
        """The file that `step` reads next, if any."""
        if self._parsed_file is not None:
            return self._parsed_file.path
        return self._paths[-1] if self._paths and not self._features else None

    def step(self) -> None:
        """Do one step: import a feature, list unread files, read one, or collect its occurrences."""
        if self._features:
            feature(self._features.pop())
        elif self._parsed_file is not None:
            self._collect_occurrences(self._parsed_file)
        elif self._paths:
            self._read_file(self._paths.pop())
        else:
            self._find_unread()

    def _find_unread(self) -> None:
        """List the files that changed; if none did, build the catalog."""
        from trialrun.workspace.open_workspace.catalog_cache import outdated_paths, views

        self._paths = sorted(outdated_paths(self._live), reverse=True)
        if not self._paths:
            self._revision = self._live.revision
            views(self._live)

    def _read_file(self, path: str) -> None:
        from trialrun.workspace.open_workspace.catalog_cache import prefetch

        self._parsed_file = prefetch(self._live, path)

    def _collect_occurrences(self, parsed_file: WorkspaceFile) -> None:
        from trialrun.lsp.symbols import occurrences

        self._parsed_file = None
        occurrences(self._live, parsed_file)
