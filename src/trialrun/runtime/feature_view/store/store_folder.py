"""Where values are kept: in the folder of a workspace's trial runs, or in a store at an address."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from trialrun.cache_dir import private_cache_dir
from trialrun.extras import missing_libraries
from trialrun.runtime.feature_view.store.guard import FILE_GUARD, TEMPORARY_GUARD, StoreGuard
from trialrun.runtime.feature_view.store.interface import OnlineStore, StoreError
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.store.view_file import file_name

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.store.redis.store import RedisStore

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
        self.guard = TEMPORARY_GUARD if temporary else StoreGuard(self.path, is_tracked=is_tracked)
        self._store = SqliteStore(self.path, guard=self.guard)

    def store_of(self, view: str) -> SqliteStore:
        """The store that all views are served from."""
        return self._store

    def indexes(self, view: str) -> Path:
        """The folder for the indexes of a view; it may not be there yet."""
        return self.path / "indexes" / file_name(view)


class RemoteStores:
    """Where values are kept in a store at an address; indexes are in the user's cache, made when one is asked for.

    It stands for the folder of a workspace. Raises StoreError for an address that cannot be used.
    """

    guard = FILE_GUARD
    is_remote = True

    def __init__(self, address: str) -> None:
        self._store = open_store(address)
        self._digest = sha256(str(self._store.address).encode()).hexdigest()[:20]

    def store_of(self, view: str) -> OnlineStore:
        """The store that all views are served from."""
        return self._store

    def indexes(self, view: str) -> Path | None:
        """The folder for the indexes of a view, in the user's cache; None where there is no such folder."""
        folder = private_cache_dir()
        return Path(folder) / "indexes" / self._digest if folder else None


def open_store(address: str) -> RedisStore:
    """The store at an address such as `redis://HOST:PORT`; nothing is connected to yet. Raises StoreError."""
    if missing := missing_libraries("a store in Redis", "redis", "redis"):
        raise StoreError(missing)
    from trialrun.runtime.feature_view.store.redis.nodes import parse_address
    from trialrun.runtime.feature_view.store.redis.store import RedisStore

    return RedisStore(parse_address(address))
