"""Records which coverage targets scenarios exercise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, order=True)
class CoverageTarget:
    """Something that a scenario can exercise: one `name` of an aspect, such as the feature `guests.tier`.

    `path` and `line` are where it is declared. `key` tells it from others of its name; the name does without one.
    """

    aspect: str
    name: str
    path: str = field(compare=False)
    line: int = field(compare=False)
    key: str = ""

    @property
    def id(self) -> tuple[str, str]:
        """What it is noted by."""
        return self.aspect, self.key or self.name


class CoverageRecorder:
    """Collects, over all scenarios that are played, what is exercised; `discovered` are subjects found while playing.

    `is_enabled` says whether anyone will ask; what takes long to find out is only noted then.
    """

    def __init__(self, *, is_enabled: bool = True) -> None:
        self.is_asked = is_enabled
        self._recorded: set[tuple[str, str]] = set()
        self.discovered: dict[tuple[str, str], CoverageTarget] = {}

    def record(self, aspect: str, *names: str) -> None:
        """Note that names of an aspect are exercised."""
        self._recorded.update((aspect, name) for name in names)

    def add_targets(self, targets: Iterable[CoverageTarget]) -> None:
        """Note subjects that only playing tells, such as the columns of a table."""
        for target in targets:
            self.discovered.setdefault(target.id, target)

    def covers(self, target: CoverageTarget) -> bool:
        """Whether a subject was exercised."""
        return target.id in self._recorded

    def is_recorded(self, aspect: str, name: str) -> bool:
        """Whether a name of an aspect was exercised."""
        return (aspect, name) in self._recorded
