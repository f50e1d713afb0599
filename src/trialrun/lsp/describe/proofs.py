"""What is proved of the upsells of configs: which of them no session offers, by the extra `prove`.

Proofs are made in a thread, the only one of the process that calls the solver, when a catalog has not changed for a
while: a store takes some ten milliseconds for each upsell, at worst seconds. Until they are made nothing is said.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from trialrun.diagnostic import Range, Severity
from trialrun.lsp.describe.stores import Key, applied_configs, document_key
from trialrun.runtime.channel_config.menu import unpriced_items
from trialrun.runtime.declaration import BrandCatalog, DeclaredStore
from trialrun.runtime.options import runtime_options
from trialrun.workspace.open_workspace import OpenWorkspace
from trialrun.workspace.open_workspace.catalog_cache import brands
from trialrun.workspace.store_dry_run import StoreDryRun

if TYPE_CHECKING:
    from trialrun.prove.verdict import Answer

MAX_STORES = 8
"""Stores of a config that are asked about, each the first with its configs in their order."""
MAX_UPSELLS = 60
"""Upsells of a store of which a proof is tried; so many take ten seconds, twice as many a minute."""
PAUSE = 0.5
"""Seconds for which a catalog is the newest before anything is proved of it."""


Proofs = tuple["list[Answer]", "Future[None] | None"]
"""The proofs so far that no session at a store offers an upsell, and what makes more of them."""


class Prover:
    """A thread that proves, of the newest catalog of each workspace, what is asked of its stores."""

    def __init__(self) -> None:
        self._newest: dict[str, BrandCatalog] = {}
        self._thread = ThreadPoolExecutor(1, "prover")
        self.latest: Future[None] | None = None

    def ask(self, workspace: OpenWorkspace, store: DeclaredStore) -> Proofs:
        """What is known of a store by now; what is not is proved as long as its catalog is the newest."""
        catalog, root = brands(workspace), workspace.request.root
        known: dict[str, Proofs] = catalog.cache.setdefault("proofs", {})
        if store.name in known:
            return known[store.name]
        from trialrun.prove.replay import Stage

        trial = StoreDryRun(
            workspace.request, catalog, runtime_options(workspace.request.profiles.settings.runtime), store
        )
        answers: list[Answer] = []
        strategy = trial.active_config.upsell_strategy
        if len((strategy and strategy.upsells) or ()) > MAX_UPSELLS:
            return known.setdefault(store.name, (answers, None))
        stage = Stage(trial.active_config, trial.menu, catalog.schema_for, trial.now)
        unpriced = unpriced_items(trial.menu, catalog.menus)

        def prove() -> None:
            from trialrun.prove.store import StoreProof

            if self._newest[root] is catalog:
                time.sleep(max(0.0, begin - time.monotonic()))
            if self._newest[root] is catalog:
                for _, answer in StoreProof(stage, unpriced).offers():
                    if self._newest[root] is not catalog:
                        break
                    if answer.verdict == "never":
                        answers.append(answer)

        self._newest[root], begin = catalog, time.monotonic() + PAUSE
        self.latest = self._thread.submit(prove)
        return known.setdefault(store.name, (answers, self.latest))


@cache
def prover() -> Prover:
    """The prover of the process."""
    return Prover()


def is_proving() -> bool:
    """Whether something that was asked for is not proved yet."""
    latest = prover().latest if prover.cache_info().currsize else None
    return latest is not None and not latest.done()


def never_offered(workspace: OpenWorkspace, config: Key) -> Iterator[tuple[Range, str, Sequence[str]]]:
    """Where the upsells of a config are that no session offers, with the reason and the stores of which it is known.

    Nothing is said of a file with errors: what is wrong in it has no effect in sessions.
    """
    if find_spec("z3") is None:
        return
    if any(diagnostic.severity is Severity.ERROR for diagnostic in workspace.diagnostics(config[0])):
        return
    found: dict[tuple[Range, str], list[str]] = {}
    orders = {id(one.lineup): one.store for one in reversed(applied_configs(workspace).get(config, ()))}
    for store in [*reversed(orders.values())][:MAX_STORES]:
        answers, proving = prover().ask(workspace, store)
        if proving is not None and proving.done():
            proving.result()  # raises what went wrong
        for answer in [*answers]:
            if answer.why and answer.origin and document_key(answer.origin.config) == config:
                found.setdefault((answer.origin.range, answer.why), []).append(store.name)
    for (place, why), stores in found.items():
        yield place, why, stores
