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
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.user_state import NoState

MARK_FILE, GITIGNORE = "mark", ".gitignore"
ID_LENGTH = 32
RECREATE_HINT = "move it away, and sync again"
UNTRACKED_SECONDS = 1.0
"""For how long it is remembered that git tracks nothing there: the files of many views are opened in a row."""
_PROCESS_KEY = secrets.token_bytes(32)


@dataclass(frozen=True)
class StoreGuard:
    """What is asked before a store is used: `check` before files are opened, `claim` before the first is written.

    `key` gives the key of digests; `root` is the folder below which no link is followed. Each may raise StoreError.
    """

    key: Callable[[], bytes]
    check: Callable[[], None] = lambda: None
    claim: Callable[[], None] = lambda: None
    root: Path | None = None

    def refuse_links(self, path: Path) -> None:
        """See that no part of a path below the root is a link. Raises StoreError."""
        refuse_links(path, below=self.root or path)


def user_key() -> bytes:
    """The user's key. Raises StoreError."""
    try:
        return user_state.read_key()
    except NoState as error:
        raise StoreError(str(error)) from error


FILE_GUARD = StoreGuard(user_key)
"""For a file that the caller named."""
TEMPORARY_GUARD = StoreGuard(lambda: _PROCESS_KEY)
"""For what this process has made and takes away again."""


def folder_guard(folder: Path, *, is_tracked: Callable[[Path], bool] | None = None) -> StoreGuard:
    """The guard of a folder of stores; `is_tracked` says whether git tracks a file below it."""

    untracked_until = 0.0

    def check() -> None:
        nonlocal untracked_until
        if _list_content(folder):
            if is_tracked and time.monotonic() > untracked_until:
                if is_tracked(folder):
                    advice = f"remove it with git rm -r {folder.name}, and sync again"
                    raise StoreError(f"{folder} is tracked by git; {advice}")
                untracked_until = time.monotonic() + UNTRACKED_SECONDS
            if not _is_marked(folder):
                raise StoreError(
                    f"{folder} was created by another user, in another place or by an earlier version; {RECREATE_HINT}"
                )

    def claim() -> None:
        check()
        _claim_folder(folder)

    return StoreGuard(user_key, check, claim, folder)


def refuse_links(path: Path, *, below: Path) -> None:
    """See that no part of a path, from `below` on, is a link. Raises StoreError."""
    parts = path.relative_to(below).parts
    for part in (below.joinpath(*parts[:count]) for count in range(len(parts) + 1)):
        if os.path.lexists(part) and _is_link(os.lstat(part)):
            raise StoreError(f"{part} is a link, and links are not followed; {RECREATE_HINT}")


def refuse_unsafe_file(file: str | os.PathLike[str]) -> None:
    """See that what has the name of a file is a regular one, or nothing. Raises StoreError."""
    try:
        found = os.lstat(file)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise StoreError(f"{os.fspath(file)} cannot be read: {(error.strerror or str(error)).lower()}") from error
    if _is_link(found):
        raise StoreError(f"{os.fspath(file)} is a link, and links are not followed; {RECREATE_HINT}")
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise StoreError(f"{os.fspath(file)} is not a regular file; {RECREATE_HINT}")


def _is_link(found: os.stat_result) -> bool:
    """Whether it is a symbolic link, or a junction of Windows, which leads elsewhere as well."""
    attributes = getattr(found, "st_file_attributes", 0)
    return stat.S_ISLNK(found.st_mode) or bool(attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0))


def _list_content(folder: Path) -> list[str]:
    """What is in the folder beside the note to git and marks; nothing without a folder. Raises StoreError."""
    refuse_links(folder, below=folder)
    try:
        return [
            name
            for name in os.listdir(folder)
            if name not in (GITIGNORE, MARK_FILE) and not name.startswith(f"{MARK_FILE}-")
        ]
    except FileNotFoundError:
        return []
    except NotADirectoryError as error:
        raise StoreError(f"{folder} is a file, but the store needs a folder; move it away") from error
    except OSError as error:
        raise StoreError(f"{folder} cannot be read: {(error.strerror or str(error)).lower()}") from error


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
