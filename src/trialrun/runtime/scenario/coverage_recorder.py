"""What scenarios have exercised, and what there is to exercise: the two sides of coverage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Subject:
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


class Seen:
    """Collects, over all scenarios that are played, what is exercised; `also` are subjects found while playing.

    `is_asked` says whether anyone will ask; what takes long to find out is only noted then.
    """

    def __init__(self, *, is_asked: bool = True) -> None:
        self.is_asked = is_asked
        self._touched: set[tuple[str, str]] = set()
        self.also: dict[tuple[str, str], Subject] = {}

    def touch(self, aspect: str, *names: str) -> None:
        """Note that names of an aspect are exercised."""
        self._touched.update((aspect, name) for name in names)

    def find(self, subjects: Iterable[Subject]) -> None:
        """Note subjects that only playing tells, such as the columns of a table."""
        for subject in subjects:
            self.also.setdefault(subject.id, subject)

    def has(self, subject: Subject) -> bool:
        """Whether a subject was exercised."""
        return subject.id in self._touched

    def has_touched(self, aspect: str, name: str) -> bool:
        """Whether a name of an aspect was exercised."""
        return (aspect, name) in self._touched
