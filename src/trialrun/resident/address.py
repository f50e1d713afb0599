"""Where the resident process of this installation listens, and what it has in common with who asks.

All that `trialrun check` needs to know that there is none is in this module, which imports next to nothing.
"""

from __future__ import annotations

import os
import stat
import sys

from trialrun.state_path import VARIABLE as STATE_VARIABLE
from trialrun.state_path import state_path
from trialrun.version import __version__

OFF_VARIABLE = "TRIALRUN_NO_DAEMON"
"""Set to anything, `check` does not ask the resident process."""
MAX_SOCKET_PATH = 103
"""The bytes that the path of a socket may have on every system."""
HAS_FORK = hasattr(os, "fork") and sys.platform != "emscripten"
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
READ_AT_START = ("PYTHON", "LD_", "DYLD_", "MALLOC_", "GLIBC_")
"""What a variable begins with that Python or the system reads once, when a process starts."""
OF_STREAMS = ("PYTHONIOENCODING", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")
"""Variables among them that do not matter: the streams are described with each question, and no module is compiled."""
COMPLETION_VARIABLE = "_TRIALRUN_COMPLETE"
OWN_FILES = ("/dev/fd", "/dev/tty", "/proc/self", "/proc/thread-self")
"""What leads to the open files of the process that looks, as the `<(…)` of a shell does."""
NAMESPACES = ("mnt", "pid", "user")


def may_ask(arguments: list[str]) -> bool:
    """Whether a check ends by itself, names no open file, and is not one of words that a shell would complete."""
    if COMPLETION_VARIABLE in os.environ or any(word.startswith("--watch") for word in arguments):
        return False
    return not any(own in word for word in arguments for own in OWN_FILES)


def socket_folder() -> str | None:
    """The folder of the sockets, which only this user may enter; None if this user has no such place."""
    base = None if STATE_VARIABLE in os.environ else os.environ.get("XDG_RUNTIME_DIR")
    if base and os.path.isabs(base):
        return os.path.join(base, "trialrun")
    state = state_path()
    return os.path.join(state, "daemon") if state else None


def is_private(folder: str) -> bool:
    """Whether a folder is one of this user that nobody else may enter, and not a link."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def identity() -> bytes | None:
    """What a process has to have in common with the resident one: version, interpreter, user, what was read at start.

    None where the answer of another process could differ: with folders to import from that are relative, for example.
    """
    if any(not os.path.isabs(entry) for entry in _import_path()) or os.geteuid() != os.getuid():
        return None
    parts = (
        __version__,
        PACKAGE,
        sys.version,
        sys.executable,
        sys.prefix,
        sys.flags,
        sys.warnoptions,
        sys._xoptions,
        sorted(item for item in os.environ.items() if item[0].startswith(READ_AT_START) and item[0] not in OF_STREAMS),
        (os.getuid(), os.getgid(), os.getegid(), sorted(os.getgroups())),
        _system_view(),
    )
    return "\n".join(map(repr, parts)).encode("utf-8", "backslashreplace")


def socket_path(folder: str, identity: bytes) -> str:
    """The path of the socket of an identity; the name is a digest, the resident process compares all of it."""
    return os.path.join(folder, f"{hash(tuple(identity)) & (1 << 64) - 1:016x}")


def _import_path() -> list[str]:
    text = os.environ.get("PYTHONPATH")
    return text.split(os.pathsep) if text else []


def _system_view() -> tuple[object, ...]:
    """The root folder and the namespaces of this process: in another container the same path is another file."""
    root = os.stat("/")
    try:
        names = [os.readlink(f"/proc/self/ns/{name}") for name in NAMESPACES]
    except OSError:  # not Linux
        names = []
    return root.st_dev, root.st_ino, names
