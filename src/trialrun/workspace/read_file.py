"""Reads the bytes of a file in bounded memory, or returns the reason why that is not possible."""

from __future__ import annotations

from trialrun.errors import os_error_reason
from trialrun.guarded_path import GuardedFolder
from trialrun.lazy_dataclass import dataclass
from trialrun.parser.limits import MAX_BYTES

WHOLE_FILE = "the whole file"
"""What is not checked of an unreadable file."""


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A file that could not be read, with the reason for messages; or a folder whose search was aborted."""

    reason: str
    is_limit: bool = False


@dataclass(frozen=True, slots=True)
class UnrelatedFile:
    """A discovered file without documents of ours; `is_gone` if it vanished after it was listed."""

    is_gone: bool = False


def read_bytes(file: str, folder: GuardedFolder, *, named: bool) -> bytes | UnreadableFile | UnrelatedFile:
    """The bytes of a file, at most one more than the limit for documents, so that it can be refused.

    A discovered file that has vanished is unrelated.
    """
    try:
        return folder.read(file, MAX_BYTES)
    except FileNotFoundError as error:
        return UnreadableFile(_reason(error)) if named else UnrelatedFile(is_gone=True)
    except (OSError, ValueError) as error:
        return UnreadableFile(_reason(error))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return os_error_reason(error)
    return str(error) or type(error).__name__
