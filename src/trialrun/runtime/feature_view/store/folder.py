"""The folder of a workspace's trial runs: a file for each online store, and the indexes of each view."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from trialrun.runtime.feature_view.store.sqlite import SqliteStore

NAME = ".trialrun"


class Folder:
    """The folder `.trialrun` of a workspace. It is made when something is stored, and git ignores what is in it."""

    def __init__(self, root: str | Path) -> None:
        self._path = Path(root) / NAME

    def store_of(self, view: str) -> SqliteStore:
        """The store that a view of this resource name is served from: one file for each FeatureOnlineStore."""
        return SqliteStore(str(self._path / f"{_plain(view.rpartition('/featureViews/')[0])}.db"), begin=self._begin)

    def indexes(self, view: str) -> Path:
        """The folder for the indexes of a view; it may not be there yet."""
        return self._path / "indexes" / _plain(view)

    def _begin(self) -> None:
        self._path.mkdir(parents=True, exist_ok=True)
        ignore = self._path / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")


def _plain(name: str) -> str:
    """A name for a file: the id that a resource name ends with, and a digest of all of it."""
    id = re.sub(r"[^a-z0-9_-]", "_", name.rpartition("/")[2].lower())[:40]
    return f"{id or 'store'}-{sha256(name.encode()).hexdigest()[:12]}"
