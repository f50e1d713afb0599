"""The folder of a workspace's trial runs: a file for each online store, and the indexes of each view."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from trialrun.runtime.feature_view.store.guard import TEMPORARY_GUARD, folder_guard
from trialrun.runtime.feature_view.store.sqlite import SqliteStore

FOLDER_NAME = ".trialrun"


class StoreFolder:
    """The folder `.trialrun` of a workspace, or another `folder`. It is made when something is stored, and git ignores
    what is in it.

    It is only used where this user made it; `is_tracked` says whether git tracks files of it. A `temporary` one is of
    this process alone.
    """

    is_remote = False

    def __init__(
        self,
        root: str | Path,
        *,
        folder: Path | None = None,
        is_tracked: Callable[[Path], bool] | None = None,
        temporary: bool = False,
    ) -> None:
        self.path = folder or Path(root) / FOLDER_NAME
        self.guard = TEMPORARY_GUARD if temporary else folder_guard(self.path, is_tracked=is_tracked)

    def store_of(self, view: str) -> SqliteStore:
        """The store that a view of this resource name is served from: one file for each FeatureOnlineStore."""
        return SqliteStore(str(self.path / f"{_file_name(view.rpartition('/featureViews/')[0])}.db"), guard=self.guard)

    def indexes(self, view: str) -> Path:
        """The folder for the indexes of a view; it may not be there yet."""
        return self.path / "indexes" / _file_name(view)


def _file_name(name: str) -> str:
    """A name for a file: the id that a resource name ends with, and a digest of all of it."""
    id = re.sub(r"[^a-z0-9_-]", "_", name.rpartition("/")[2].lower())[:40]
    return f"{id or 'store'}-{sha256(name.encode()).hexdigest()[:12]}"
