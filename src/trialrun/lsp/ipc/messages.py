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
    """The first message: open the workspace that a folder belongs to. Later ones: read its settings again."""

    folder: str
    options: Options


@dataclass(frozen=True, slots=True)
class SetText:
    """An open file has this text; None: it was closed, and its text on disk counts again.

    Without `lint_immediately` its diagnostics are debounced if they take long.
    """

    file: str
    data: bytes | None
    version: int = 0
    lint_immediately: bool = True


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """Files or folders that changed, appeared or disappeared on disk; settings files among them are read again."""

    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exclude:
    """Work that an earlier analysis process timed out on, or crashed: a file until it changes, or a workspace rule.

    `reason` is published in place of the diagnostics of the file where it is open, for a version. The rule is disabled
    until the settings change.
    """

    file: str | None = None
    version: int | None = None
    rule: str | None = None
    reason: str = ""


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


ToAnalysis = Initialize | SetText | FilesChanged | Exclude | AnalysisRequest | Cancel


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """All diagnostics of an open file, for one version of its text."""

    file: str
    version: int
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Response:
    """The result of a request, or why it has none: an error of the feature for the user, or an internal error."""

    id: int
    value: Any = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class ShowMessage:
    """A message for the user: invalid settings, or an internal error, once.

    Without a severity: the problem is fixed, and if it comes back, the message is shown again.
    """

    severity: MessageSeverity | None
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


ForClient = Diagnostics | ShowMessage | Progress
"""What concerns the client; the other messages from the analysis process are for its supervisor."""
FromAnalysis = ForClient | Response | Busy | FolderGone


class InternalError(Exception):
    """A feature raised an unexpected exception, which the user has been shown."""


class ServerCancelled(Exception):
    """A request was not processed, and can be repeated: its text has changed, or the analysis process ended."""


TEXT_CHANGED = "the document has changed; ask again"
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
