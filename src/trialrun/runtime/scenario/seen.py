"""What scenarios have exercised, and what there is to exercise: the two sides of coverage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from trialrun.record import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """Something that a scenario can exercise: one `name` of an aspect, such as the feature `guests.tier`.

    `path` and `line` are where it is declared.
    """

    aspect: str
    name: str
    path: str = field(compare=False)
    line: int = field(compare=False)


class Seen:
    """Collects, over all scenarios that are played, what is exercised; `also` are subjects found while playing."""

    def __init__(self) -> None:
        self._touched: set[tuple[str, str]] = set()
        self.also: dict[tuple[str, str], Subject] = {}

    def touch(self, aspect: str, *names: str) -> None:
        """Note that names of an aspect are exercised."""
        self._touched.update((aspect, name) for name in names)

    def find(self, subjects: Iterable[Subject]) -> None:
        """Note subjects that only playing tells, such as the columns of a table."""
        for subject in subjects:
            self.also.setdefault((subject.aspect, subject.name), subject)

    def has(self, subject: Subject) -> bool:
        """Whether a subject was exercised."""
        return (subject.aspect, subject.name) in self._touched
