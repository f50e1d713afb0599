"""The bytes of a file, in bounded memory, or the reason why there are none."""

from __future__ import annotations

from trialrun.errors import os_error_reason
from trialrun.guarded_path import GuardedFolder
from trialrun.lazy_dataclass import dataclass
from trialrun.parser.limits import MAX_BYTES

WHOLE_FILE = "the whole file"
"""What is not checked of a file that cannot be read."""


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A file that could not be read, and why, in words for a message; or a folder whose search ended early."""

    reason: str
    is_limit: bool = False


@dataclass(frozen=True, slots=True)
class UnrelatedFile:
    """A file that nobody named and that holds nothing of ours; `is_gone`: it vanished since it was listed."""

    is_gone: bool = False


def read_bytes(file: str, door: GuardedFolder, *, named: bool) -> bytes | UnreadableFile | UnrelatedFile:
    """The bytes of a file, at most one more than a document may have, which is enough to refuse it.

    A discovered file that vanished meanwhile is foreign.
    """
    try:
        return door.read(file, MAX_BYTES)
    except FileNotFoundError as error:
        return UnreadableFile(_reason(error)) if named else UnrelatedFile(is_gone=True)
    except (OSError, ValueError) as error:
        return UnreadableFile(_reason(error))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return os_error_reason(error)
    return str(error) or type(error).__name__
