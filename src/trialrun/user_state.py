"""What this user keeps between runs that no repository may bring: a key, and which stores and files the user made."""

from __future__ import annotations

import json
import os
import secrets
import stat
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

VARIABLE = "TRIALRUN_STATE_DIR"


def state_path() -> str | None:
    """The folder: TRIALRUN_STATE_DIR, else where the system has the state of a user's programs; None without a home."""
    if chosen := os.environ.get(VARIABLE):
        return os.path.abspath(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME", "")
        # A relative path would lead into the working directory, which may be a stranger's repository.
        base = base if os.path.isabs(base) else os.path.expanduser("~/.local/state")
    return os.path.join(base, "trialrun") if os.path.isabs(base) else None


KEY_BYTES = 32
MAX_REMEMBERED = 1000
MAX_IMPORT_BYTES = 64 * 2**20


class NoState(Exception):
    """The state folder cannot be used; the message says why, then what to do."""


def state_folder() -> Path:
    """The folder: TRIALRUN_STATE_DIR, else where the system has the state of a user's programs. Raises NoState."""
    path = state_path()
    if path is None:
        raise NoState(f"this user has no home folder; set {VARIABLE} to a folder of the user")
    return Path(path)


def read_key() -> bytes:
    """The user's key, which is made when it is asked for first. Raises NoState."""
    return _read_key_file(state_folder())


@lru_cache(maxsize=8)
def _read_key_file(folder: Path) -> bytes:
    file = folder / "key"
    try:
        _make_private(folder)
        if not file.exists():
            _write_key(file)
        key = read_own_file(file, KEY_BYTES)
    except OSError as error:
        raise NoState(_no_state(folder, error)) from error
    if len(key) != KEY_BYTES:
        raise NoState(f"{file} is damaged; move it away, and sync again")
    return key


def _write_key(file: Path) -> None:
    """Write a new key; of two processes that do, both use the key of the one that came first."""
    part = file.with_name(f"key-{secrets.token_hex(8)}")
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(secrets.token_bytes(KEY_BYTES))
    try:
        os.link(part, file)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        if not file.exists():
            os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)


def remember_store(id: str, folder: str) -> None:
    """Remember that this user made the store of an id in a folder. Raises NoState."""
    stores = state_folder() / "stores"
    try:
        _make_private(stores.parent)
        _make_private(stores)
        _forget_missing(stores)
        (stores / id).write_bytes(os.fsencode(folder))
    except OSError as error:
        raise NoState(_no_state(stores, error)) from error


def _forget_missing(stores: Path) -> None:
    """Forget stores whose folders have gone, once there are many: one may be on a disk that is not here today."""
    if len(known := list(stores.iterdir())) < MAX_REMEMBERED:
        return
    for file in known:
        if not os.path.lexists(os.fsdecode(file.read_bytes())):
            file.unlink(missing_ok=True)


def remembered_store_folder(id: str) -> str | None:
    """The folder of the store of an id, None if this user made none such. Raises NoState."""
    file = state_folder() / "stores" / id
    try:
        return os.fsdecode(read_own_file(file, 65_536))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NoState(_no_state(file.parent, error)) from error


def remember_import(folder: str, digests: Mapping[str, Sequence[str]]) -> None:
    """Remember which texts this user's imports wrote to files of a folder, by path below it; without a state, nothing.

    Of each path the newest texts count, also where the import that writes them does not end.
    """
    with suppress(NoState, OSError):
        file = _import_file(folder)
        _make_private(file.parent.parent)
        _make_private(file.parent)
        part = file.with_name(f"{file.name}-{secrets.token_hex(8)}")
        part.write_text(json.dumps({**remembered_import(folder), **digests}), encoding="utf-8")
        os.replace(os.fspath(part), os.fspath(file))


def remembered_import(folder: str) -> dict[str, Sequence[str]]:
    """The digests of what this user's imports wrote to files of a folder, by path below it."""
    try:
        found = json.loads(read_own_file(_import_file(folder), MAX_IMPORT_BYTES))
    except (NoState, OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _import_file(folder: str) -> Path:
    return state_folder() / "imports" / sha256(os.fsencode(folder)).hexdigest()


def read_own_file(file: Path, most: int) -> bytes:
    """The bytes of a regular file that is not a link, at most so many of them. Raises OSError."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(file, flags), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(f"{file} is not a regular file")
        return stream.read(most)


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "geteuid") and (owner := folder.stat().st_uid) != os.geteuid():
        raise OSError(f"it belongs to user ID {owner}")


def _no_state(folder: Path, error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"{folder} cannot be used to remember which stores are yours ({reason}); set {VARIABLE} to another folder"
