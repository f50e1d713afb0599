"""Messages between the server process and the analysis process, and a queue of them that drops superseded ones.

On the pipe, a message is its length and then itself, pickled. Files are absolute paths. Paths are displayed paths,
relative to the folder of `Initialize`. Texts are bytes, as a file has them.
"""

from __future__ import annotations

import pickle
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, BinaryIO, Literal

from trialrun.diagnostic import Diagnostic

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


REPEATED_AFTER_CHANGE = frozenset({"code_lens", "folding_range", "inlay_hint", "document_symbols"})
"""Features that an editor requests again after every change: the result for an older text is not needed."""


class CoalescingQueue:
    """Messages in order, put by one thread and got by another.

    `reject` gets the id of each request that is dropped because its text is out of date.
    """

    def __init__(self, reject: Callable[[int], None]) -> None:
        self._reject = reject
        self._messages: list[ToAnalysis] = []
        self._condition = threading.Condition()
        self._has_new = False

    def put(self, message: ToAnalysis) -> None:
        """Append a message."""
        with self._condition:
            self._messages.append(message)
            self._has_new = True
            self._condition.notify()

    def get(self, timeout: float | None = None) -> ToAnalysis | None:
        """The next message, waiting up to a timeout; None if there is none by then."""
        while True:
            outdated: list[int] = []
            with self._condition:
                self._condition.wait_for(lambda: self._messages, timeout)
                if self._has_new:
                    self._messages, outdated = drop_superseded(self._messages)
                    self._has_new = False
                message = self._messages.pop(0) if self._messages else None
            for request_id in outdated:
                self._reject(request_id)
            if message is not None or timeout is not None:
                return message  # else every message that arrived was superseded

    def has_newer_text(self, file: str) -> bool:
        """Whether a newer text of a file is queued, or its close."""
        if not self._messages:
            return False
        with self._condition:
            return any(isinstance(message, SetText) and message.file == file for message in self._messages)

    def has_cancelled(self, request_id: int) -> bool:
        """Whether a request has been cancelled."""
        if not self._messages:
            return False
        with self._condition:
            return Cancel(request_id) in self._messages

    @property
    def is_empty(self) -> bool:
        """Whether no message is queued."""
        return not self._messages


def drop_superseded(waiting: Sequence[ToAnalysis]) -> tuple[list[ToAnalysis], list[int]]:
    """The messages that are still needed, in order, and the ids of requests about an outdated text.

    A text is dropped for a newer one of its file, unless a request between them is about it; a reopened file keeps its
    close. Changes on disk and the settings are merged into the first message of their kind.
    """
    requested = {message.id for message in waiting if isinstance(message, AnalysisRequest)}
    done = requested & {message.id for message in waiting if isinstance(message, Cancel)}
    changed = dict.fromkeys(file for message in waiting if isinstance(message, FilesChanged) for file in message.files)
    latest_settings = next((message for message in reversed(waiting) if isinstance(message, Initialize)), None)
    first_of_kind = {type(message): index for index, message in reversed([*enumerate(waiting)])}
    remaining: list[ToAnalysis] = []
    outdated: list[int] = []
    later: dict[str, SetText] = {}
    requested_files: set[str] = set()
    for index, message in reversed([*enumerate(waiting)]):
        match message:
            case AnalysisRequest(number) | Cancel(number) if number in done:
                continue
            case AnalysisRequest(number, feature, file):
                if file in later and feature in REPEATED_AFTER_CHANGE:
                    outdated.append(number)
                    continue
                requested_files.add(file)
            case SetText(file, data):
                newer = later.get(file)
                is_superseded = newer is not None and (newer.data is None or data is not None)
                if file not in requested_files and is_superseded:
                    continue
                later[file] = message
                requested_files.discard(file)
            case FilesChanged() | Initialize() if first_of_kind[type(message)] != index:
                continue
            case FilesChanged():
                message = FilesChanged(tuple(changed))
            case Initialize() if latest_settings is not None:
                message = latest_settings
        remaining.append(message)
    return remaining[::-1], outdated[::-1]
