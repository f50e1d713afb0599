"""How often a schedule runs."""

from __future__ import annotations

from itertools import pairwise

from trialrun.values.cron.days import shortest_distance
from trialrun.values.cron.expression import CronExpression
from trialrun.values.cron.fields import set_bits

_DAY = 24 * 60


def runs_per_day(cron: CronExpression) -> int:
    """The number of runs on a day that has runs, changes of clocks aside."""
    return cron.masks[0].bit_count() * cron.masks[1].bit_count()


def shortest_gap_minutes(cron: CronExpression) -> int | None:
    """The fewest minutes between two runs in a row, changes of clocks aside; None for one that never fires."""
    distance = shortest_distance(cron)
    if distance is None:
        return None
    times = [hour * 60 + minute for hour in set_bits(cron.masks[1]) for minute in set_bits(cron.masks[0])]
    over_night = distance * _DAY - times[-1] + times[0]
    return min([over_night, *(later - earlier for earlier, later in pairwise(times))])
