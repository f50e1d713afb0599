"""A queue of messages that drops superseded ones."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from trialrun.lsp.ipc.messages import (
    AnalysisRequest,
    Cancel,
    CloseText,
    FilesChanged,
    ReloadSettings,
    SetText,
    ToAnalysis,
)

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
        self._is_closed = False

    def put(self, message: ToAnalysis) -> None:
        """Append a message."""
        with self._condition:
            self._messages.append(message)
            self._has_new = True
            self._condition.notify()

    def close(self) -> None:
        """Return None from `get` from now on, whatever is queued."""
        with self._condition:
            self._is_closed = True
            self._condition.notify()

    def get(self, timeout: float | None = None) -> ToAnalysis | None:
        """The next message, waiting up to a timeout; None if there is none by then, or the queue is closed."""
        while (message := self._get_once(timeout)) is None and timeout is None and not self._is_closed:
            continue  # every message that arrived was superseded
        return message

    def _get_once(self, timeout: float | None) -> ToAnalysis | None:
        with self._condition:
            self._condition.wait_for(lambda: self._messages or self._is_closed, timeout)
            outdated = self._coalesce()
            message = self._messages.pop(0) if self._messages and not self._is_closed else None
        for request_id in outdated:
            self._reject(request_id)
        return message

    def has_newer_text(self, file: str) -> bool:
        """Whether a newer text of a file is queued, or its close."""
        if not self._messages:
            return False
        with self._condition:
            return any(isinstance(message, SetText | CloseText) and message.file == file for message in self._messages)

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

    def _coalesce(self) -> list[int]:
        """Drop superseded messages; the ids of the requests among them that still wait for a response."""
        if not self._has_new:
            return []
        self._has_new = False
        self._messages, outdated = drop_superseded(self._messages)
        return outdated


def drop_superseded(waiting: Sequence[ToAnalysis]) -> tuple[list[ToAnalysis], list[int]]:
    """The messages that are still needed, in order, and the ids of requests about an outdated text.

    A text is dropped for a newer one of its file, unless a request between them is about it. Changes on disk and
    reloads of the settings are merged into the first message of their kind.
    """
    requested = {message.id for message in waiting if isinstance(message, AnalysisRequest)}
    cancelled = {message.id for message in waiting if isinstance(message, Cancel)}
    done = requested & cancelled
    needed = [
        message for message in waiting if not (isinstance(message, AnalysisRequest | Cancel) and message.id in done)
    ]
    remaining, outdated = _drop_superseded_texts(needed)
    return _merge_changes(remaining), outdated


def _drop_superseded_texts(waiting: Sequence[ToAnalysis]) -> tuple[list[ToAnalysis], list[int]]:
    """The messages without superseded texts, and without repeatable requests about these."""
    remaining: list[ToAnalysis] = []
    outdated: list[int] = []
    later: dict[str, SetText | CloseText] = {}
    requested_files: set[str] = set()
    for message in reversed(waiting):
        if isinstance(message, AnalysisRequest):
            if message.file in later and message.feature in REPEATED_AFTER_CHANGE:
                outdated.append(message.id)
                continue
            requested_files.add(message.file)
        elif isinstance(message, SetText | CloseText):
            if message.file not in requested_files and _is_superseded(message, later.get(message.file)):
                continue
            later[message.file] = message
            requested_files.discard(message.file)
        remaining.append(message)
    return remaining[::-1], outdated[::-1]


def _is_superseded(message: SetText | CloseText, later: SetText | CloseText | None) -> bool:
    """Whether a later message makes a text or a close needless; a reopened file keeps its close."""
    return (isinstance(message, SetText) and later is not None) or isinstance(later, CloseText)


def _merge_changes(messages: Sequence[ToAnalysis]) -> list[ToAnalysis]:
    """Merge all changes on disk into the first such message, and all reloads into the first reload."""
    changed = dict.fromkeys(file for message in messages if isinstance(message, FilesChanged) for file in message.files)
    options = [
        message.options for message in messages if isinstance(message, ReloadSettings) and message.options is not None
    ]
    first: dict[type, ToAnalysis] = {
        FilesChanged: FilesChanged(tuple(changed)),
        ReloadSettings: ReloadSettings(options[-1] if options else None),
    }
    merged: list[ToAnalysis] = []
    for message in messages:
        if not isinstance(message, FilesChanged | ReloadSettings):
            merged.append(message)
        elif type(message) in first:
            merged.append(first.pop(type(message)))
    return merged
