"""Messages between the server process and the analysis process: on the pipe, the length, then the pickled message.

Files are absolute paths. Paths are displayed paths, relative to the folder of `Initialize`. Texts are bytes, as a file
has them.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, BinaryIO, Literal

from trialrun.diagnostic import Diagnostic
from trialrun.lazy_dataclass import dataclass

MessageSeverity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Options:
    """Command line options, as for `check`. `now` is a fixed clock, None for the real one.

    `allowed_folders` are those of `--allow-path`. `debounce` are the seconds without a change after which a text is
    linted if that takes longer than the time between two changes.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    now: datetime | None = None
    is_isolated: bool = False
    cache: bool = True
    debounce: float = 0.0
    allowed_folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Initialize:
    """The first message: open the workspace that a folder belongs to."""

    folder: str
    options: Options


@dataclass(frozen=True, slots=True)
class SetText:
    """An open file has this text; without `lint_immediately` its diagnostics are debounced if they take long."""

    file: str
    data: bytes
    version: int
    lint_immediately: bool = True


@dataclass(frozen=True, slots=True)
class CloseText:
    """A file was closed: its text on disk counts again."""

    file: str


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """Files or folders that changed, appeared or disappeared on disk; settings files among them are read again."""

    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExcludeFile:
    """Do not lint a file until it changes: an earlier analysis process timed out on it, or crashed.

    `reason` is published in place of its diagnostics where it is open, for a version.
    """

    file: str
    reason: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class DisableRule:
    """Do not run a workspace rule until the settings change: it timed out, or crashed the analysis process."""

    rule: str


@dataclass(frozen=True, slots=True)
class ReloadSettings:
    """Read the settings again, with these options."""

    options: Options


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """A request to a feature about a file, answered under its id."""

    id: int
    feature: str
    file: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cancel:
    """Nobody waits for the response to a request any more."""

    id: int


ToAnalysis = (
    Initialize | SetText | CloseText | FilesChanged | ExcludeFile | DisableRule | ReloadSettings
    | AnalysisRequest | Cancel
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """All diagnostics of an open file, for one version of its text."""

    file: str
    version: int
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Response:
    """The result of a request."""

    id: int
    value: Any


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """Why a request has no result: an error of the feature for the user, or an internal error."""

    id: int
    error: Exception


@dataclass(frozen=True, slots=True)
class ShowMessage:
    """A message for the user: invalid settings, or an internal error, once."""

    severity: MessageSeverity
    message: str


@dataclass(frozen=True, slots=True)
class ClearMessage:
    """The problem of a message is fixed: if it comes back, the message is shown again."""

    message: str


@dataclass(frozen=True, slots=True)
class Busy:
    """The file being processed from now on, with its version where it is open, or the workspace rule being run.

    Both are None when the process is idle.
    """

    file: str | None = None
    version: int | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class FolderGone:
    """The folder of the workspace was removed or replaced: the messages so far are for another process."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How many files are still to be linted; 0 once the process is idle."""

    remaining_files: int


ForClient = Diagnostics | ShowMessage | ClearMessage | Progress
"""What concerns the client; the other messages from the analysis process are for its supervisor."""
FromAnalysis = ForClient | Response | ErrorResponse | Busy | FolderGone


class InternalError(Exception):
    """A feature raised an unexpected exception, which the user has been shown."""


class ServerCancelled(Exception):
    """The analysis process ended before it could respond; it has been restarted, and the request can be repeated."""


class ContentModified(ServerCancelled):
    """The text that a request was about has changed since; the request was not processed."""


LENGTH = struct.Struct("<Q")


def send(stream: BinaryIO, message: object) -> None:
    """Write a message. Raises OSError when the reader is gone."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> object | None:
    """Wait for the next message; None at the end of the stream."""
    length = stream.read(LENGTH.size)
    if len(length) < LENGTH.size:
        return None
    size = LENGTH.unpack(length)[0]
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None
