"""The texts that were read of late, in bounded memory."""

from __future__ import annotations

from trialrun.workspace.live.reading import Reading

MOST_BYTES = 4 << 20
"""Of texts; their trees take many times that. An ordinary workspace stays whole, so that nothing is read twice."""


class Readings:
    """Readings by path; those that were asked for longest ago go when there are too many."""

    def __init__(self) -> None:
        self._known: dict[str, Reading] = {}
        self._bytes = 0

    def get(self, path: str) -> Reading | None:
        """The reading of a path, where there is one."""
        known = self._known.pop(path, None)
        if known is not None:
            self._known[path] = known
        return known

    def keep(self, reading: Reading) -> Reading:
        """Keep a reading, and let go of others where there are too many."""
        self.forget(reading.path)
        self._known[reading.path] = reading
        self._bytes += len(reading.data)
        while self._bytes > MOST_BYTES and len(self._known) > 1:
            self.forget(next(iter(self._known)))
        return reading

    def forget(self, path: str) -> None:
        """The text of a path is another one, or gone."""
        known = self._known.pop(path, None)
        if known is not None:
            self._bytes -= len(known.data)
