"""What a search for surprises costs: `python -m benchmarks.explore`.

Sessions of eight turns each, by customers who are never done early, on one core: at a store of the example workspace,
and at the store of `benchmarks.session`, 50 upsells of which 20 have conditions of the corpus. `shortening` is what it
takes to make the sessions short that show something. The peak of memory is told after a tenth of the sessions as well,
as it does not grow with their number. CPU time of one process.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.session import catalog
from trialrun.lint.settings import Profiles, Settings
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.channel_config.explore.report import build_exploration
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.channel_config.explore.simulated_customer import CustomerProfile
from trialrun.runtime.channel_config.menu import brand_menu
from trialrun.workspace import CheckRequest
from trialrun.workspace.catalog import brands

EXAMPLE = Path(__file__).parent.parent / "fixtures" / "workspaces" / "burger-brand"
BEGIN = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
TURNS = 8
MUST = 60.0
HEAD = "| store | sessions | turns | s | ms a turn | must | shortening and report, s | surprises | MB, a tenth | MB |"


def example(path: Path) -> BrandCatalog:
    """The brands of the example workspace."""
    os.chdir(path)
    return brands(CheckRequest(root=str(path), now=BEGIN, profiles=Profiles(Settings())))


def stores() -> Iterator[tuple[str, BrandCatalog, str]]:
    """What the stores are called in the table, their brands and their names."""
    known = example(EXAMPLE)
    yield "example, drive-thru", known, "austin-lamar"
    yield "example, kiosk", known, "montreal-plateau"
    yield "50 upsells, 20 conditions", catalog(50, 20, 1), "store"


def peak() -> float:
    """The most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def row(title: str, known: BrandCatalog, store: str, sessions: int) -> str:
    """What a search at a store cost."""
    found = known.store(store)
    menu = brand_menu(found.brand, known)
    search = Search(
        resolve_active_config(found, known),
        menu,
        known.schema_for,
        begin=BEGIN,
        turns=TURNS,
        habits=CustomerProfile(foreign=0.25, finish=0),
    )
    start, early = time.process_time(), 0.0
    for done in search.play(sessions):
        early = peak() if done == max(sessions // 10, 1) else early
    played = time.process_time() - start
    late = peak()
    for _ in search.shorten():
        pass
    told = build_exploration(search, sessions)
    after = time.process_time() - start - played
    turns = search.statistics.turns
    figures = [
        f"{sessions:,}",
        f"{turns:,}",
        f"{played:.1f}",
        f"{1000 * played / turns:.2f}",
        f"{MUST * turns / 80_000:.0f}",
    ]
    return f"| {title} | {' | '.join(figures)} | {after:.1f} | {len(told.anomalies)} | {early:.0f} | {late:.0f} |"


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.explore", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sessions", type=int, default=10_000, help="how many sessions at each store (default 10,000)")
    options = parser.parse_args()
    print(HEAD, "|---" * 10 + "|", sep="\n")
    for title, known, store in stores():
        print(row(title, known, store, options.sessions), flush=True)


if __name__ == "__main__":
    main()
