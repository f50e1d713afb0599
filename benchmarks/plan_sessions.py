"""What sessions on both sides of a plan cost: `python -m benchmarks.plan_sessions`.

Sessions of the same customers at a store before and after a change, with the shortest one that differs, beside one
`explore` of as many sessions at the store after it, with all that it makes short; in turns, CPU of one process.
`sessions` are these alone. The stores are those of `benchmarks.explore`; the change is one limit and one priority.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import median

from benchmarks.explore import BEGIN, EXAMPLE, TURNS
from benchmarks.session import catalog
from trialrun.changes.session_differences import PairedSearch, StorePair
from trialrun.lint.settings import Profiles, Settings
from trialrun.model.channel_config import ChannelConfig
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.channel_config.explore.report import build_exploration
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.channel_config.menu import brand_menu
from trialrun.runtime.options import Options
from trialrun.workspace import CheckRequest
from trialrun.workspace.catalog import brands

MUST, AIM = 2.2, 2.0
HEAD = (
    "| store | sessions | differ | explore, s | both sides, s | ratio | least | ratio of sessions alone | must | aim |"
)
Seconds = tuple[float, float]


def changed(known: BrandCatalog) -> BrandCatalog:
    """The brands with one more offer a session, and the first upsell last."""
    configs = [replace(config, node=_changed_config(config.node)) for config in known.configs]
    return BrandCatalog(known.brands, configs, known.menus, known.schemas, known.schema_for)


def _changed_config(config: ChannelConfig) -> ChannelConfig:
    operations = config.operationsConfig
    strategy = operations.upsellStrategy if operations else None
    if not (operations and strategy and strategy.upsells):
        return config
    first = strategy.upsells[0].model_copy(update={"priority": 1000})
    offers = (strategy.maxUpsellOffers or 0) + 1
    other = strategy.model_copy(update={"upsells": [first, *strategy.upsells[1:]], "maxUpsellOffers": offers})
    return config.model_copy(update={"operationsConfig": operations.model_copy(update={"upsellStrategy": other})})


def example() -> BrandCatalog:
    """The brands of the example workspace."""
    os.chdir(EXAMPLE)
    return brands(CheckRequest(root=str(EXAMPLE), now=BEGIN, profiles=Profiles(Settings())))


def pairs() -> Iterator[tuple[str, StorePair]]:
    """What the stores are called in the table, and both of their sides."""
    for title, make, name in (
        ("example, drive-thru", example, "austin-lamar"),
        ("example, kiosk", example, "montreal-plateau"),
        ("50 upsells, 20 conditions", lambda: catalog(50, 20, 1), "store"),
    ):
        before, after = make(), changed(make())
        yield title, StorePair([name], (before.store(name), after.store(name)), (before, after), Options())


def timed(play: Callable[[], None], then: Callable[[], object]) -> Seconds:
    """The CPU seconds of sessions, and of all."""
    start = time.process_time()
    play()
    played = time.process_time() - start
    then()
    return played, time.process_time() - start


def explore(pair: StorePair, sessions: int) -> Seconds:
    """What one search costs at the later side."""
    config = resolve_active_config(pair.stores[1], pair.catalogs[1])
    menu = brand_menu(pair.stores[1].brand, pair.catalogs[1])
    search = Search(config, menu, pair.catalogs[1].schema_for, begin=BEGIN, turns=TURNS)
    return timed(
        lambda: list(search.play(sessions)) and None,
        lambda: [*search.shorten(), build_exploration(search, sessions)],
    )


def both_sides(pair: StorePair, sessions: int) -> tuple[Seconds, int]:
    """What the sessions of both sides cost, and how many differ."""
    search = PairedSearch(pair, sessions, BEGIN)
    seconds = timed(
        lambda: list(search.play()) and None,
        lambda: search.difference(search.example(pair.names[0], [])),
    )
    return seconds, search.differing


def row(title: str, pair: StorePair, sessions: int, times: int) -> str:
    """The figures of a store."""
    explored, played, differing = [], [], 0
    for _ in range(times):
        explored.append(explore(pair, sessions))
        seconds, differing = both_sides(pair, sessions)
        played.append(seconds)
    alone = median(ours[0] / other[0] for ours, other in zip(played, explored, strict=True))
    ratios = [ours[1] / other[1] for ours, other in zip(played, explored, strict=True)]
    times_of = [f"{median(one[1] for one in runs):.2f}" for runs in (explored, played)]
    figures = [f"{sessions:,}", f"{differing:,}", *times_of, f"{median(ratios):.2f}", f"{min(ratios):.2f}"]
    return f"| {title} | {' | '.join(figures)} | {alone:.2f} | {MUST:g} | {AIM:g} |"


def main() -> None:
    """Measure as the command line asks."""
    summary = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plan_sessions", description=summary)
    parser.add_argument("--sessions", type=int, default=2_000, help="how many sessions at each store (default 2,000)")
    parser.add_argument("--times", type=int, default=5, help="runs of each (default 5)")
    options = parser.parse_args()
    print(HEAD, "|---" * 10 + "|", sep="\n")
    for title, pair in pairs():
        print(row(title, pair, options.sessions, options.times), flush=True)


if __name__ == "__main__":
    main()
