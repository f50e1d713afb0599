"""The open files as the office has them: which text, what was told of it, and when its findings are to be told."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic


class Due:
    """Open files by their absolute paths; a moment at which one is due is that of a clock which only goes on."""

    def __init__(self) -> None:
        self._versions: dict[str, int] = {}
        self._told: dict[str, tuple[int, tuple[Diagnostic, ...]]] = {}
        self._at: dict[str, float] = {}

    def __contains__(self, file: object) -> bool:
        return file in self._versions

    def __iter__(self) -> Iterator[str]:
        return iter(self._versions)

    def __bool__(self) -> bool:
        """Whether some file is due, now or later."""
        return bool(self._at)

    def version(self, file: str | None) -> int | None:
        """The version of the text of a file; None where it is not open."""
        return None if file is None else self._versions.get(file)

    def put(self, file: str, version: int, *, pause: float = 0.0) -> None:
        """A file has another text, and is due after so many seconds."""
        self._versions[file] = version
        self._at[file] = time.monotonic() + pause if pause else 0.0

    def drop(self, file: str) -> None:
        """A file is closed."""
        for known in (self._versions, self._told, self._at):
            known.pop(file, None)

    def put_all(self) -> None:
        """Every open file is due at once."""
        self._at = dict.fromkeys(self._versions, 0.0)

    def put_also(self, file: str | None) -> None:
        """A file is due at once where it is open, unless it is due anyway."""
        if file in self._versions:
            self._at.setdefault(file, 0.0)

    def take(self) -> str | None:
        """A file that is due by now, which is due no more."""
        now = time.monotonic()
        ready = next((file for file, at in self._at.items() if at <= now), None)
        if ready is not None:
            del self._at[ready]
        return ready

    def is_news(self, file: str, found: tuple[Diagnostic, ...]) -> bool:
        """Whether these findings of the text of a file have not been told; from now on they have."""
        news = self._versions[file], found
        if self._told.get(file) == news:
            return False
        self._told[file] = news
        return True

    @property
    def pauses(self) -> list[float]:
        """The seconds until each file is due that is."""
        now = time.monotonic()
        return [at - now for at in self._at.values()]
