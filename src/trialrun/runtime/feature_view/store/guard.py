"""Whether files of a store may be used: this user made them, and no link leads to or from them.

A repository can bring a folder `.trialrun` with anything in it: databases whose journals name files to delete, links,
indexes that crash a library. So a folder of stores has a mark, a random id whose counterpart is in the user's state
folder, outside of every repository, and says where that folder is. A copy at another place is not the user's own.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import Callable
from pathlib import Path

from trialrun import user_state
from trialrun.errors import StoreError
from trialrun.user_state import NoState

MARK_FILE, GITIGNORE = "mark", ".gitignore"
ID_LENGTH = 32
RECREATE_HINT = "move it away, and sync again"
UNTRACKED_SECONDS = 1.0
"""For how long it is remembered that git tracks nothing there: the files of many views are opened in a row."""
_PROCESS_KEY = secrets.token_bytes(32)


def user_key() -> bytes:
    """The user's key. Raises StoreError."""
    try:
        return user_state.read_key()
    except NoState as error:
        raise StoreError(str(error)) from error


class StoreGuard:
    """What is asked before a store is used, if it is in a folder; a file that the caller named is not guarded.

    `key` gives the key of digests; below the folder no link is followed. `is_tracked` says whether git tracks a file of
    it. Each method may raise StoreError.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        is_tracked: Callable[[Path], bool] | None = None,
        key: Callable[[], bytes] = user_key,
    ) -> None:
        self._folder, self._is_tracked, self.key = folder, is_tracked, key
        self._untracked_until = 0.0

    def check(self) -> None:
        """Called before files are opened."""
        folder = self._folder
        if not folder or not _has_content(folder):
            return
        if self._is_tracked and time.monotonic() > self._untracked_until:
            if self._is_tracked(folder):
                advice = f"remove it with git rm -r {folder.name}, and sync again"
                raise StoreError(f"{folder} is tracked by git; {advice}")
            self._untracked_until = time.monotonic() + UNTRACKED_SECONDS
        if not _is_marked(folder):
            raise StoreError(
                f"{folder} was created by another user, in another place or by an earlier version; {RECREATE_HINT}"
            )

    def claim(self) -> None:
        """Called before the first file is written: the folder is made, with its mark."""
        self.check()
        if self._folder:
            _claim_folder(self._folder)

    def refuse_links(self, path: Path) -> None:
        """See that no part of a path below the folder is a link."""
        below = self._folder or path
        parts = path.relative_to(below).parts
        for part in (below.joinpath(*parts[:count]) for count in range(len(parts) + 1)):
            if os.path.lexists(part):
                _refuse_link(part, os.lstat(part))


FILE_GUARD = StoreGuard()
"""For a file that the caller named."""
TEMPORARY_GUARD = StoreGuard(key=lambda: _PROCESS_KEY)
"""For what this process has made and takes away again."""


def refuse_unsafe_file(file: str | os.PathLike[str]) -> None:
    """See that what has the name of a file is a regular one, or nothing. Raises StoreError."""
    try:
        found = os.lstat(file)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise StoreError(f"{os.fspath(file)} cannot be read: {(error.strerror or str(error)).lower()}") from error
    _refuse_link(file, found)
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise StoreError(f"{os.fspath(file)} is not a regular file; {RECREATE_HINT}")


def _refuse_link(path: str | os.PathLike[str], found: os.stat_result) -> None:
    """See that it is no symbolic link, and no junction of Windows, which leads elsewhere as well."""
    attributes = getattr(found, "st_file_attributes", 0)
    if stat.S_ISLNK(found.st_mode) or attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0):
        raise StoreError(f"{os.fspath(path)} is a link, and links are not followed; {RECREATE_HINT}")


def _has_content(folder: Path) -> bool:
    """Whether something is in the folder beside the note to git and marks. Raises StoreError."""
    if os.path.lexists(folder):
        _refuse_link(folder, os.lstat(folder))
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return False
    except NotADirectoryError as error:
        raise StoreError(f"{folder} is a file, but the store needs a folder; move it away") from error
    except OSError as error:
        raise StoreError(f"{folder} cannot be read: {(error.strerror or str(error)).lower()}") from error
    return any(name not in (GITIGNORE, MARK_FILE) and not name.startswith(f"{MARK_FILE}-") for name in names)


def _is_marked(folder: Path) -> bool:
    try:
        id = user_state.read_own_file(folder / MARK_FILE, ID_LENGTH + 1).decode("ascii", "replace").strip()
    except OSError:
        return False
    if len(id) != ID_LENGTH or not set(id) <= set("0123456789abcdef"):
        return False
    try:
        return not _is_state_inside(folder) and user_state.remembered_store_folder(id) == _real_path(folder)
    except NoState as error:
        raise StoreError(str(error)) from error


def _claim_folder(folder: Path) -> None:
    """Make the folder, with its mark, unless it has one. Raises StoreError.

    Of two processes that write a mark, the folder has that of the one that came last, and both know theirs.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(folder / GITIGNORE):
            (folder / GITIGNORE).write_text("*\n", encoding="utf-8")
        if _is_marked(folder):
            return
        if _is_state_inside(folder):
            state = user_state.state_folder()
            raise StoreError(f"the state folder {state} is in the workspace; set {user_state.VARIABLE} to another one")
        id = secrets.token_hex(ID_LENGTH // 2)
        user_state.remember_store(id, _real_path(folder))  # first, so that no mark is ever without its counterpart
        part = folder / f"{MARK_FILE}-{id}"
        part.write_text(f"{id}\n", encoding="ascii")
        os.replace(part, folder / MARK_FILE)
    except NoState as error:
        raise StoreError(str(error)) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StoreError(f"{folder} cannot be written ({reason}); make the folder writable") from error


def _is_state_inside(folder: Path) -> bool:
    return Path(os.path.realpath(user_state.state_folder())).is_relative_to(os.path.realpath(folder.parent))


def _real_path(folder: Path) -> str:
    return os.path.join(os.path.realpath(folder.parent), folder.name)
