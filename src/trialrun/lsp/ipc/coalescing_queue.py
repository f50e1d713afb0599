"""Messages that wait for whom they are meant for, without those that others make needless."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from trialrun.lsp.ipc.messages import Ask, Cancel, Drop, Put, Reread, ToOffice, Touch

FOLLOW_THE_TEXT = frozenset({"code_lenses", "folding", "inlay_hints", "semantic_tokens", "symbols"})
"""Questions that an editor asks again by itself after every change: about an older text nobody wants the answer."""


class Tray:
    """Messages in their order, put by one thread and taken by another.

    `refuse` gets the number of each question that is taken away unanswered, since its text is out of date.
    """

    def __init__(self, refuse: Callable[[int], None]) -> None:
        self._refuse = refuse
        self._waiting: list[ToOffice] = []
        self._news = threading.Condition()
        self._has_news = False
        self._is_closed = False

    def put(self, message: ToOffice) -> None:
        """Lay a message behind the others."""
        with self._news:
            self._waiting.append(message)
            self._has_news = True
            self._news.notify()

    def close(self) -> None:
        """There is nothing more to take, whatever waits."""
        with self._news:
            self._is_closed = True
            self._news.notify()

    def take(self, pause: float | None = None) -> ToOffice | None:
        """The next message, waited for up to a pause; None where there is none by then, or the tray is closed."""
        while (taken := self._taken(pause)) is None and pause is None and not self._is_closed:
            continue  # all that came was needless
        return taken

    def _taken(self, pause: float | None) -> ToOffice | None:
        with self._news:
            self._news.wait_for(lambda: self._waiting or self._is_closed, pause)
            outdated = self._sifted()
            taken = self._waiting.pop(0) if self._waiting and not self._is_closed else None
        for number in outdated:
            self._refuse(number)
        return taken

    def has_newer(self, file: str) -> bool:
        """Whether another text of a file waits, or its end."""
        if not self._waiting:
            return False
        with self._news:
            return any(isinstance(one, Put | Drop) and one.file == file for one in self._waiting)

    def has_cancelled(self, number: int) -> bool:
        """Whether nobody waits for the answer of a question any more."""
        if not self._waiting:
            return False
        with self._news:
            return Cancel(number) in self._waiting

    @property
    def is_empty(self) -> bool:
        """Whether no message waits."""
        return not self._waiting

    def _sifted(self) -> list[int]:
        """Take away what is needless; the numbers of the questions among it that somebody waits for."""
        if not self._has_news:
            return []
        self._has_news = False
        self._waiting, outdated = needed(self._waiting)
        return outdated


def needed(waiting: Sequence[ToOffice]) -> tuple[list[ToOffice], list[int]]:
    """The messages that are still to be heeded, in their order, and the numbers of questions that are out of date.

    A text goes for a newer one of its file, unless a question between them is about it. Files that changed on disk are
    looked at once, and settings are read once, where the first message would have it.
    """
    asked = {one.number for one in waiting if isinstance(one, Ask)}
    cancelled = {one.number for one in waiting if isinstance(one, Cancel)}
    gone = asked & cancelled
    rest = [one for one in waiting if not (isinstance(one, Ask | Cancel) and one.number in gone)]
    kept, outdated = _newest(rest)
    return _at_once(kept), outdated


def _newest(waiting: Sequence[ToOffice]) -> tuple[list[ToOffice], list[int]]:
    """The messages without texts that others follow, and without questions about these that nobody waits for."""
    kept: list[ToOffice] = []
    outdated: list[int] = []
    following: dict[str, Put | Drop] = {}
    asked: set[str] = set()
    for one in reversed(waiting):
        if isinstance(one, Ask):
            if one.file in following and one.name in FOLLOW_THE_TEXT:
                outdated.append(one.number)
                continue
            asked.add(one.file)
        elif isinstance(one, Put | Drop):
            if one.file not in asked and _is_superseded(one, following.get(one.file)):
                continue
            following[one.file] = one
            asked.discard(one.file)
        kept.append(one)
    return kept[::-1], outdated[::-1]


def _is_superseded(one: Put | Drop, by: Put | Drop | None) -> bool:
    """Whether a message need not be heeded for one that follows; a file that is opened again begins anew."""
    return (isinstance(one, Put) and by is not None) or isinstance(by, Drop)


def _at_once(messages: Sequence[ToOffice]) -> list[ToOffice]:
    """The messages with all changes on disk in the first that tells of some, and all settings in the first of these."""
    touched = dict.fromkeys(file for one in messages if isinstance(one, Touch) for file in one.files)
    choices = [one.choices for one in messages if isinstance(one, Reread) and one.choices is not None]
    first: dict[type, ToOffice] = {
        Touch: Touch(tuple(touched)),
        Reread: Reread(choices[-1] if choices else None),
    }
    kept: list[ToOffice] = []
    for one in messages:
        if not isinstance(one, Touch | Reread):
            kept.append(one)
        elif type(one) in first:
            kept.append(first.pop(type(one)))
    return kept
