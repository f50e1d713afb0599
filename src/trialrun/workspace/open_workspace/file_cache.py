"""Least recently used cache of texts and their trees."""

from __future__ import annotations

from trialrun.workspace.open_workspace.workspace_file import WorkspaceFile

MAX_BYTES = 64 << 20
"""Bytes of texts, which are kept so that requests do not read from the disk."""
MAX_PARSED_BYTES = 4 << 20
"""Bytes of texts whose trees are kept; a tree takes ten times the memory of its text."""


class FileCache:
    """Files by path; the least recently used ones lose their trees, and are removed, when there are too many."""

    def __init__(self) -> None:
        self._known: dict[str, WorkspaceFile] = {}
        self._bytes = 0
        self._in_trees: dict[str, int] = {}
        self._last: WorkspaceFile | None = None

    def copy(self) -> FileCache:
        """An independent copy."""
        readings = FileCache()
        readings._known, readings._bytes = dict(self._known), self._bytes
        return readings

    def get(self, path: str) -> WorkspaceFile | None:
        """The file of a path, if it is cached."""
        known = self._known.pop(path, None)
        if known is not None:
            self._known[path] = known
            self._mark_used(known)
        return known

    def add(self, reading: WorkspaceFile) -> WorkspaceFile:
        """Add a file, and evict others if there are too many."""
        self.remove(reading.path)
        self._known[reading.path] = reading
        self._bytes += len(reading.data)
        self._mark_used(reading)
        while self._bytes > MAX_BYTES and len(self._known) > 1:
            self.remove(next(iter(self._known)))
        return reading

    def remove(self, path: str) -> None:
        """Remove a path, whose text has changed."""
        known = self._known.pop(path, None)
        if known is not None:
            self._bytes -= len(known.data)
            self._in_trees.pop(path, None)

    def _mark_used(self, reading: WorkspaceFile) -> None:
        """Account for the tree of the previously used file, and evict others if necessary."""
        before, self._last = self._last, reading
        if before is None or before is reading or not before.is_parsed or self._known.get(before.path) is not before:
            return
        self._in_trees.pop(before.path, None)
        self._in_trees[before.path] = len(before.data)
        while len(self._in_trees) > 1 and sum(self._in_trees.values()) > MAX_PARSED_BYTES:
            path = next(iter(self._in_trees))
            del self._in_trees[path]
            self._known[path].release()
