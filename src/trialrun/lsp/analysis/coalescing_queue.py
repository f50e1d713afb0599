"""A queue of messages that drops superseded ones."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from trialrun.lsp.ipc.messages import AnalysisRequest, Cancel, FilesChanged, Initialize, SetText, ToAnalysis

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
