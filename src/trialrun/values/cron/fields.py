"""The five fields: their names, ranges and the words that stand for numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from trialrun.lazy_dataclass import dataclass

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


@dataclass(frozen=True, slots=True)
class Field:
    """One of the five: the values `first` to `last`, and full English names for them in months and weekdays."""

    name: str
    first: int
    last: int
    words: tuple[str, ...] = field(default=())

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    @property
    def highest(self) -> int:
        """The highest number that may be written: 7 also means Sunday."""
        return 7 if self.words is WEEKDAYS else self.last

    def parse_name(self, text: str) -> int | None:
        """The value of a three-letter name such as `MON`, in any case."""
        for value, word in enumerate(self.words, self.first):
            if word[:3].upper() == text.upper():
                return value
        return None

    def format_like(self, value: int, *, like: str) -> str:
        """A value as a name where `like` is one, else as a number."""
        return self.words[value - self.first][:3].upper() if self.parse_name(like) is not None else str(value)

    def normalize(self, value: int) -> int:
        """The value with 7 turned into 0 in the day of week."""
        return 0 if value > self.last else value


FIELDS = (
    Field("minute", 0, 59),
    Field("hour", 0, 23),
    Field("day of month", 1, 31),
    Field("month", 1, 12, MONTHS),
    Field("day of week", 0, 6, WEEKDAYS),
)


def set_bits(mask: int) -> Iterator[int]:
    """The values whose bits are set, in order."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
