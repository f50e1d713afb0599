"""The effective configuration of every store of a large brand: `python -m benchmarks.precedence`.

Measured in process, after loading, CPU of one thread, each time from the documents alone. `shared` is the brand of
`benchmarks.brands`; in `all differ` every store has two further bindings, a pair of configs that no other store has.
Beside it, in turns: the same layers merged by a plain recursive update of dicts, which copies, knows no origins, and
takes every list as a value; finding the layers is not part of that. `one with origins` is a single store, in
milliseconds, with where each of its values comes from; `alike` adds groups of stores, and what differs between them.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.brands import brand, resource_name
from benchmarks.corpus import write
from trialrun.cli import GARBAGE_THRESHOLD
from trialrun.lint.settings import Settings
from trialrun.lint.settings.resolver import Profiles
from trialrun.model.companion import Store, StoreBinding
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.channel_config.effective import plain_config
from trialrun.runtime.channel_config.equivalence import differences, group_stores
from trialrun.runtime.channel_config.layers import TYPES, layers
from trialrun.workspace.catalog import brands
from trialrun.workspace.check_request import CheckRequest

MUST = 2.0
HEAD = "| brand | configs | stores | s | plain update, s | one with origins, ms | alike, s | groups | must |"
STEP = 100


def loaded(configs: int, stores: int, seed: int) -> BrandCatalog:
    """The catalog of a generated brand."""
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as folder:
        write(Path(folder), brand(configs, stores, seed=seed))
        return brands(CheckRequest(folder, datetime(2026, 11, 22, tzinfo=UTC), Profiles(Settings()), cache=False))


def all_different(catalog: BrandCatalog) -> BrandCatalog:
    """The same brand with two further bindings for each store, no two stores with the same pair."""
    of = catalog.brands[0]
    ids = [config.node.name.rpartition("/")[2] for config in catalog.configs if config.node.name]
    pairs = combinations([id_ for id_ in ids if id_.startswith("store-")], 2)
    stores = [_bound(store, next(pairs)) for store in of.node.stores or ()]
    return BrandCatalog([replace(of, node=of.node.model_copy(update={"stores": stores}))], catalog.configs)


def _bound(store: Store, ids: tuple[str, ...]) -> Store:
    further = [StoreBinding(rule=f"further-{id}", channelConfig=resource_name(id)) for id in ids]
    return store.model_copy(update={"bindings": [*(store.bindings or ()), *further]})


def ours(catalog: BrandCatalog) -> list[ActiveConfig]:
    """The effective configuration of every store, with its plain value."""
    found = [resolve_active_config(store, catalog) for store in catalog.stores]
    for file in found:
        assert all(effective.value is not None for effective in file.types.values())
    return found


def with_origins(catalog: BrandCatalog) -> None:
    """The same of some of the stores, with the origin of each value, and the configuration as a model."""
    for store in catalog.stores[::STEP]:
        for effective in resolve_active_config(store, catalog).types.values():
            assert effective.origins is not None and effective.node


def compared(catalog: BrandCatalog) -> int:
    """How many groups the stores are in; what differs between the groups is told as well."""
    groups = group_stores(ours(catalog))
    for group in groups[1:]:
        assert next(differences(group.first, groups[0].first))
    return len(groups)


def plainly(merged: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Every store by a plain recursive update."""
    found = []
    for values in merged:
        result: dict[str, Any] = {}
        for value in values:
            update(result, value)
        found.append(result)
    return found


def update(into: dict[str, Any], value: Mapping[str, Any]) -> None:
    """Set the fields of a dict over those of another, dicts field by field."""
    for name, inner in value.items():
        if isinstance(inner, dict):
            update(into.setdefault(name, {}), inner)
        else:
            into[name] = inner


def values_of_layers(catalog: BrandCatalog) -> list[tuple[Any, ...]]:
    """The plain values that apply at each store, by type."""
    known = {id(config): plain_config(config.node) for config in catalog.configs}
    applied = [layers(store, catalog) for store in catalog.stores]
    return [
        tuple(known[id(layer.config)] for layer in one if layer.config.node.type == type)
        for one in applied
        for type in TYPES
    ]


def seconds(work: Callable[[], Any]) -> float:
    """Of CPU."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def row(name: str, catalog: BrandCatalog, times: int) -> str:
    """A row of the table."""
    values = values_of_layers(catalog)
    taken = [
        (
            seconds(lambda: ours(_fresh(catalog))),
            seconds(lambda: plainly(values)),
            seconds(lambda: with_origins(_fresh(catalog))),
            seconds(lambda: compared(_fresh(catalog))),
        )
        for _ in range(times)
    ]
    mine, other, origins, grouped = (median(column) for column in zip(*taken, strict=True))
    of_one = 1000 * origins / len(catalog.stores[::STEP])
    figures = f"{mine:.2f} | {other:.2f} | {of_one:.1f} | {grouped:.2f} | {compared(catalog)}"
    return f"| {name} | {len(catalog.configs)} | {len(catalog.stores)} | {figures} | {MUST} |"


def _fresh(catalog: BrandCatalog) -> BrandCatalog:
    """The same documents, of which nothing is worked out."""
    return BrandCatalog(catalog.brands, catalog.configs, catalog.menus)


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.precedence", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--configs", type=int, default=1000, help="how many configs (default 1000)")
    parser.add_argument("--stores", type=int, default=5000, help="how many stores (default 5000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another brand (default 1)")
    parser.add_argument("--times", type=int, default=5, help="runs of each (default 5)")
    options = parser.parse_args()
    gc.set_threshold(GARBAGE_THRESHOLD, 20, 100)  # as the program does
    catalog = loaded(options.configs, options.stores, options.seed)
    print(HEAD, "|---" * 9 + "|", sep="\n")
    print(row("shared", catalog, options.times))
    print(row("all differ", all_different(catalog), options.times))


if __name__ == "__main__":
    main()
