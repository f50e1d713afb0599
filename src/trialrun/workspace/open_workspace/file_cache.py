"""The texts that were read of late, in bounded memory."""

from __future__ import annotations

from trialrun.workspace.open_workspace.workspace_file import WorkspaceFile

MAX_BYTES = 64 << 20
"""Of texts, which are kept so that nothing is read from the disk for every question."""
MAX_PARSED_BYTES = 4 << 20
"""Of those texts whose trees are kept; a tree takes ten times the memory of its text."""


class FileCache:
    """Readings by path; those that were asked for longest ago lose their trees, and go, when there are too many."""

    def __init__(self) -> None:
        self._known: dict[str, WorkspaceFile] = {}
        self._bytes = 0
        self._in_trees: dict[str, int] = {}
        self._last: WorkspaceFile | None = None

    def copy(self) -> FileCache:
        """The same texts; what one is given later is nothing to the other."""
        readings = FileCache()
        readings._known, readings._bytes = dict(self._known), self._bytes
        return readings

    def get(self, path: str) -> WorkspaceFile | None:
        """The reading of a path, if there is one."""
        known = self._known.pop(path, None)
        if known is not None:
            self._known[path] = known
            self._mark_used(known)
        return known

    def add(self, reading: WorkspaceFile) -> WorkspaceFile:
        """Keep a reading, and let go of others where there are too many."""
        self.remove(reading.path)
        self._known[reading.path] = reading
        self._bytes += len(reading.data)
        self._mark_used(reading)
        while self._bytes > MAX_BYTES and len(self._known) > 1:
            self.remove(next(iter(self._known)))
        return reading

    def remove(self, path: str) -> None:
        """The text of a path is another one, or gone."""
        known = self._known.pop(path, None)
        if known is not None:
            self._bytes -= len(known.data)
            self._in_trees.pop(path, None)

    def _mark_used(self, reading: WorkspaceFile) -> None:
        """See whether the one that was used before has a tree by now, for which others may have to go."""
        before, self._last = self._last, reading
        if before is None or before is reading or not before.is_parsed or self._known.get(before.path) is not before:
            return
        self._in_trees.pop(before.path, None)
        self._in_trees[before.path] = len(before.data)
        while len(self._in_trees) > 1 and sum(self._in_trees.values()) > MAX_PARSED_BYTES:
            path = next(iter(self._in_trees))
            del self._in_trees[path]
            self._known[path].release()
