"""Changes to a large brand in its service: `python -m benchmarks.changes`.

A config is changed by a request, the brand in its file. Measured in process, CPU of one thread, the median of some
changes after the first, which lints every document once. Beside each, in turns: linting the changed document alone.
The brand is that of `benchmarks.brands`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.brands import brand
from benchmarks.corpus import write
from trialrun.lint.engine import Linter
from trialrun.lint.rule_support.session_types import session_types
from trialrun.lint.selection import default_selection
from trialrun.lint.settings import Settings
from trialrun.lint.settings.resolver import Profiles
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.service.channel_config import ChannelConfigService, messages
from trialrun.workspace.catalog import brands
from trialrun.workspace.check_request import CheckRequest

NOW = datetime(2026, 11, 22, tzinfo=UTC)
HEAD = "| change | configs | stores | ms | lint of the document, ms |"
Change = Callable[[int], object]


def loaded(configs: int, stores: int, seed: int) -> BrandCatalog:
    """The catalog of a generated brand."""
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as folder:
        write(Path(folder), brand(configs, stores, seed=seed))
        return brands(CheckRequest(folder, NOW, Profiles(Settings()), cache=False))


def changes(service: ChannelConfigService, catalog: BrandCatalog) -> dict[str, Change]:
    """A change of a config and of the brand, each numbered."""
    config, of_brand = catalog.configs[0].node.name, catalog.brands[0]

    def change_config(number: int) -> object:
        given = {"name": config, "displayName": f"Change {number}"}
        return asyncio.run(service.patch(messages.PatchChannelConfigRequest(channelConfig=given)))

    def change_brand(number: int) -> object:
        changed = replace(of_brand, node=of_brand.node.model_copy(update={"displayName": f"Change {number}"}))
        return service.replace_documents(replace(catalog, brands=[changed]), default_selection())

    return {"config": change_config, "brand": change_brand}


def main(configs: int, stores: int, seed: int, times: int) -> None:
    """Print the table."""
    catalog = loaded(configs, stores, seed)
    service = ChannelConfigService(catalog)
    config, of_brand = catalog.configs[0].node, catalog.brands[0].node
    texts = {"config": _text(config), "brand": _text(of_brand)}
    print(f"{HEAD}\n|---|---|---|---|---|")
    linter = Linter(default_selection(), now=NOW, session_types=lambda: session_types(()))
    for name, change in changes(service, catalog).items():
        change(0)
        took: list[tuple[float, float]] = []
        for number in range(1, times + 1):
            ours = _seconds(lambda change=change, number=number: change(number))
            took.append((ours, _seconds(lambda name=name: linter.lint(texts[name], "x.json", is_explicit=True))))
        ours, alone = (1000 * median(column) for column in zip(*took, strict=True))
        print(f"| {name} | {configs} | {stores} | {ours:.0f} | {alone:.0f} |")


def _text(node: Any) -> bytes:
    kind = type(node).__name__
    return json.dumps({"kind": kind, **node.model_dump(mode="json", exclude_unset=True, exclude_none=True)}).encode()


def _seconds(deed: Callable[[], object]) -> float:
    start = time.process_time()
    deed()
    return time.process_time() - start


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configs", type=int, default=1000)
    parser.add_argument("--stores", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=int, default=7)
    given = parser.parse_args()
    main(given.configs, given.stores, given.seed, given.times)
