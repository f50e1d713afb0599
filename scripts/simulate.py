"""Simulate what no machine here can measure, and write it into docs/scale.md and docs/scale.svg: seeded, so repeatable.

python scripts/simulate.py [--queries N] [--seed N]

**Skewed keys**: rows with a Zipf distribution over the entities, hashed to partitions; how much more the largest has.
**Scatter-gather**: a query asks every shard and waits for the last. Each shard has two replicas that work on one
request at a time, in order; a request takes a lognormal time, whose median is the unit of all figures. In one shard a
replica is slow, or its node is lost until it is noticed. A hedged request is sent to the other replica as well when
the first has not answered for a while; nothing is cancelled.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks.line_chart import Chart, Series, draw_charts  # noqa: E402
from scripts.scale import ENTITIES, INPUT_PARTITIONS, ROWS, SHUFFLE_PARTITIONS, replace_section  # noqa: E402

PICTURE = ROOT / "docs" / "scale.svg"
SEED, QUERIES = 1, 4_000
SHARDS = (1, 4, 16, 64, 256)
SIGMA = 0.4
"""The spread of the time of a request: the 99th percentile of one is 2.5 times its median."""
LOAD = 0.2
"""The share of the time that a replica works."""
SLOWNESS = 4.0
HEDGE_AFTER = 3.0
"""Medians after which a request is sent to the other replica."""
TIMEOUT, NOTICED_AFTER = 20.0, 500.0
"""Medians until a request to a lost node is sent again, and until nobody sends it any."""
HEAVY_KEYS = 200_000
"""Keys that are placed one by one; all others are spread evenly."""
EXPONENTS = (0.0, 0.6, 0.8, 1.0, 1.2)


@dataclass(frozen=True)
class Fault:
    """What is wrong with the first replica of a shard: how much slower it is, and when its node is lost."""

    slowness: float = 1.0
    lost_at: float = math.inf


HEALTHY = Fault()


def shard_times(arrivals: Sequence[float], fault: Fault, *, hedged: bool, seed: str) -> list[float]:
    """How long a shard takes for each query: from its arrival until the first replica answers."""
    draw = random.Random(seed)
    free, answered = [0.0, 0.0], [math.inf] * len(arrivals)
    events = [(moment, number, 0, -1) for number, moment in enumerate(arrivals)]
    while events:
        moment, number, attempt, before = heapq.heappop(events)
        if attempt and answered[number] <= moment:
            continue
        replica = 1 - before if attempt else _choose(draw, moment, fault)
        lost = replica == 0 and moment >= fault.lost_at
        if not lost:
            work = draw.lognormvariate(0, SIGMA) * (fault.slowness if replica == 0 else 1.0)
            free[replica] = max(moment, free[replica]) + work
            answered[number] = min(answered[number], free[replica])
        if not attempt and (wait := HEDGE_AFTER if hedged else TIMEOUT if lost else 0.0):
            heapq.heappush(events, (moment + wait, number, 1, replica))
    return [end - start for end, start in zip(answered, arrivals, strict=True)]


def _choose(draw: random.Random, moment: float, fault: Fault) -> int:
    """One of the replicas that nobody knows to be lost."""
    replica = draw.randrange(2)
    return 1 if moment >= fault.lost_at + NOTICED_AFTER else replica


def query_times(fault: Fault, *, hedged: bool, queries: int, seed: int) -> dict[int, list[float]]:
    """The times of queries by the number of shards, of which the first has the fault; a query takes the longest."""
    arrivals = _arrivals(queries, seed)
    longest = shard_times(arrivals, fault, hedged=hedged, seed=f"{seed}/first")
    times = {1: list(longest)}
    for number in range(1, max(SHARDS)):
        longest = list(map(max, longest, _healthy(number, hedged, queries, seed)))
        if number + 1 in SHARDS:
            times[number + 1] = longest
    return times


@cache
def _healthy(number: int, hedged: bool, queries: int, seed: int) -> tuple[float, ...]:
    return tuple(shard_times(_arrivals(queries, seed), HEALTHY, hedged=hedged, seed=f"{seed}/{number}"))


@cache
def _arrivals(queries: int, seed: int) -> tuple[float, ...]:
    """When queries come, independent of each other, so many that each of two replicas works its share of the time."""
    draw, moment, moments = random.Random(f"{seed}/arrivals"), 0.0, []
    for _ in range(queries):
        moment += draw.expovariate(2 * LOAD / math.exp(SIGMA**2 / 2))
        moments.append(moment)
    return tuple(moments)


def percentile(times: Sequence[float], share: float) -> float:
    """The time that such a share of the queries does not exceed."""
    return sorted(times)[min(len(times) - 1, math.ceil(share * len(times)) - 1)]


def faults(queries: int) -> dict[str, Fault]:
    """The faults that are simulated: a node is lost after half of the queries."""
    middle = queries * math.exp(SIGMA**2 / 2) / (2 * LOAD) / 2
    return {"none": HEALTHY, "a slow replica": Fault(slowness=SLOWNESS), "a lost node": Fault(lost_at=middle)}


Lines = dict[str, dict[int, list[float]]]


def all_times(queries: int, seed: int) -> Lines:
    """The times by fault, and by whether requests are hedged."""
    return {
        f"{name}{', hedged' if hedged else ''}": query_times(fault, hedged=hedged, queries=queries, seed=seed)
        for name, fault in faults(queries).items()
        for hedged in (False, True)
    }


def tail_table(lines: Lines) -> str:
    """The times as Markdown: medians and 99th percentiles by the number of shards."""
    rows = [f"| fault | {' | '.join(f'{shards} shards' if shards > 1 else '1 shard' for shards in SHARDS)} |"]
    rows.append("|---" * (len(SHARDS) + 1) + "|")
    for name, times in lines.items():
        cells = (f"{percentile(times[shards], 0.5):.1f}, {percentile(times[shards], 0.99):.1f}" for shards in SHARDS)
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def skew(exponent: float, partitions: int, *, latest_first: bool, seed: int) -> float:
    """How many times as much as the mean the largest partition has, of the rows of the workload.

    `latest_first` says that each input partition passes on one row of an entity at most.
    """
    counts = list(_rows_of_keys(exponent))
    if latest_first:
        counts = [INPUT_PARTITIONS * -math.expm1(-count / INPUT_PARTITIONS) for count in counts]
    rest = (ROWS - sum(_rows_of_keys(exponent))) if not latest_first else _rest_latest(exponent)
    draw, loads = random.Random(f"{seed}/{exponent}/{partitions}"), [rest / partitions] * partitions
    for count in counts:
        loads[draw.randrange(partitions)] += count
    return max(loads) / (sum(loads) / partitions)


@cache
def _rows_of_keys(exponent: float) -> tuple[float, ...]:
    """The rows of the heaviest keys."""
    heads = [number**-exponent for number in range(1, HEAVY_KEYS + 1)]
    scale = ROWS / (sum(heads) + _power_sum(HEAVY_KEYS, ENTITIES, exponent))
    return tuple(head * scale for head in heads)


def _power_sum(low: float, high: float, exponent: float) -> float:
    """The sum of the powers of the numbers between two, as an integral."""
    if exponent == 1:
        return math.log(high / low)
    return float((high ** (1 - exponent) - low ** (1 - exponent)) / (1 - exponent))


def _rest_latest(exponent: float) -> float:
    """Rows of all lighter keys that are passed on, in steps of a hundredth of their range."""
    heaviest, total, low = _rows_of_keys(exponent)[0], 0.0, float(HEAVY_KEYS)
    step = (ENTITIES / HEAVY_KEYS) ** 0.01
    for _ in range(100):
        rows = heaviest * (low * math.sqrt(step)) ** -exponent
        total += low * (step - 1) * INPUT_PARTITIONS * -math.expm1(-rows / INPUT_PARTITIONS)
        low *= step
    return total


def skew_table(seed: int) -> str:
    """The skew as Markdown: of all rows, and of those that are left when each input partition passes on the latest."""
    partitions = (200, 2_000, SHUFFLE_PARTITIONS)
    head = ["exponent", *(f"{count:,}" for count in partitions), *(f"{count:,}, latest first" for count in partitions)]
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for exponent in EXPONENTS:
        ratios = [
            skew(exponent, count, latest_first=latest, seed=seed) for latest in (False, True) for count in partitions
        ]
        rows.append(f"| {exponent:g} | {' | '.join(map(_ratio_text, ratios))} |")
    return "\n".join(rows)


def _ratio_text(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def charts(lines: Lines) -> Iterator[Chart]:
    """The 99th percentile, and the median, by the number of shards."""
    for share, title in ((0.99, "99th percentile of a query"), (0.5, "Median of a query")):
        series = [
            Series(name, [(shards, percentile(times[shards], share)) for shards in SHARDS], color=color)
            for color, (name, times) in enumerate(lines.items())
        ]
        yield Chart(title, "shards that are asked", "medians of one request", series, x_log=True, y_log=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate, write the page's tables and the picture, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args(arguments)
    lines = all_times(asked.queries, asked.seed)
    tables = {"tail": tail_table(lines), "skew": skew_table(asked.seed)}
    print("\n\n".join(tables.values()))
    if (asked.queries, asked.seed) == (QUERIES, SEED):
        for name, table in tables.items():
            replace_section(name, table)
        PICTURE.write_text(draw_charts(list(charts(lines))), encoding="utf-8")


if __name__ == "__main__":
    main()
