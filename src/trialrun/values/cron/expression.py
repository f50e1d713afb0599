"""What a cron text says once it is read."""

from __future__ import annotations

from trialrun.lazy_dataclass import dataclass
from trialrun.values.problem import Problem


@dataclass(frozen=True, slots=True)
class CronToken:
    """One field, or the zone name, with its place: code points from 0, the end exclusive."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CronExpression:
    """A schedule of five fields, in the order minute, hour, day of month, month, day of week.

    Bit v of a mask is set where value v matches; Sunday is bit 0 only. The five tokens of a macro all have the
    macro's place.
    """

    zone: str | None
    """The name behind `CRON_TZ=` or `TZ=`; None without a prefix, where UTC is assumed."""
    zone_token: CronToken | None
    fields: tuple[CronToken, ...]
    masks: tuple[int, ...]
    stars: tuple[bool, ...]
    """Which fields are unrestricted: `*`, `*/1`, `?` or a list with one of them. `*/2` is restricted."""
    leading_stars: tuple[bool, ...]
    """Which fields begin with `*`, the test that Vixie cron makes."""

    @property
    def either_day(self) -> bool:
        """Day of month and day of week are both restricted: a day that matches one of them is enough."""
        return not (self.stars[2] or self.stars[4])

    @property
    def either_day_by_vixie(self) -> bool:
        """Vixie cron's answer to the same question: it asks whether a field begins with `*`, even in `*/2`."""
        return not (self.leading_stars[2] or self.leading_stars[4])


@dataclass(frozen=True, slots=True)
class ParseResult:
    """A cron text as read: a schedule, or None if a problem has the code `syntax`.

    `zone_token` is the zone name wherever one can be made out, even in a text that has other mistakes.
    """

    cron: CronExpression | None
    problems: tuple[Problem, ...]
    zone_token: CronToken | None = None
