"""The bytes of a file, in bounded memory, or the reason why there are none."""

from __future__ import annotations

import os
import stat

from trialrun.model.kinds import may_be_ours
from trialrun.record import dataclass
from trialrun.tree.limits import MAX_BYTES

BINARY = getattr(os, "O_BINARY", 0)
AT_ONCE = getattr(os, "O_NONBLOCK", 0)
"""So that a pipe without a writer is not waited for. A pipe gives its bytes once, and a file is read several times."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be read, and why, in words for a message."""

    reason: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """A file that nobody named and that holds nothing of ours; `is_gone`: it vanished since it was listed."""

    is_gone: bool = False


def read_bytes(file: str, *, named: bool) -> bytes | Unread | Foreign:
    """The bytes of a file, at most one more than a document may have, which is enough to refuse it.

    A discovered file that has nothing of ours, or that vanished meanwhile, is foreign.
    """
    try:
        data = _read(file)
    except FileNotFoundError as error:
        return Unread(_reason(error)) if named else Foreign(is_gone=True)
    except (OSError, ValueError) as error:
        return Unread(_reason(error))
    if not named and not may_be_ours(data):
        return Foreign()
    return data


def _read(file: str) -> bytes:
    descriptor = os.open(file, os.O_RDONLY | BINARY | AT_ONCE)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(21, "it is a folder", file)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(22, "it is no regular file; pipe it to trialrun check -", file)
        data = os.read(descriptor, min(status.st_size, MAX_BYTES) + 1)
        if len(data) == status.st_size and status.st_size:
            return data
        return data + _rest(descriptor, MAX_BYTES + 1 - len(data))
    finally:
        os.close(descriptor)


def _rest(descriptor: int, most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0 and (part := os.read(descriptor, min(most, 1 << 20))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
