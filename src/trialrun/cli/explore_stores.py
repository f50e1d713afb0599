"""The stores of `trialrun explore`, equal ones once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.cli.store_lookup import find_store, store_title
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.origin import store_titles

if TYPE_CHECKING:
    from trialrun.cli.active_stores import ActiveStores
    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.explore.anomaly import Exploration
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.workspace.store_dry_run import StoreDryRun


@dataclass
class ExploredStore:
    """A store that stands for `equal` others, by their titles: what a search found there, or what prevents one."""

    trial: StoreDryRun
    equal: Sequence[str] = ()
    exploration: Exploration | None = None
    errors: Sequence[Diagnostic] = ()

    @property
    def title(self) -> str:
        """The id of the store."""
        return store_title(self.trial)

    @property
    def names(self) -> list[str]:
        """The store, and those that it stands for."""
        return [self.title, *self.equal]


def stores_to_explore(name: str | None, options: dict[str, Any]) -> list[ExploredStore]:
    """The store of a name; without one all stores, those with equal configurations once. Raises UsageError."""
    if name is not None:
        return [ExploredStore(find_store(name, options))]
    from trialrun.cli.active_stores import active_stores
    from trialrun.runtime.channel_config.equivalence import group_stores
    from trialrun.runtime.channel_config.explore.report import sold_at
    from trialrun.runtime.options import runtime_options
    from trialrun.workspace.store_dry_run import StoreDryRun

    stores = active_stores(None, options)
    choices = runtime_options(stores.request.profiles.settings.runtime)

    def trial(config: ActiveConfig) -> StoreDryRun:
        return StoreDryRun(stores.request, stores.catalog, choices, config.store)

    wrong = _documents_with_errors(stores)

    def menu_of(config: ActiveConfig) -> Hashable:
        return sold_at(config.store, stores.catalog)

    groups = (part for group in group_stores(stores.active_configs) for part in _alike(group.stores, wrong, menu_of))
    titles = store_titles(stores.catalog.stores)
    return [ExploredStore(trial(first), [titles[other.store.name] for other in others]) for first, *others in groups]


def _documents_with_errors(stores: ActiveStores) -> frozenset[int]:
    """The brands and configs, by `id`, in which `check` finds errors: what is wrong in them has no effect."""
    from trialrun.workspace.relevant_diagnostics import is_about

    by_place: dict[tuple[str, int], list[Diagnostic]] = {}
    for error in stores.errors:
        by_place.setdefault((error.path, error.document), []).append(error)
    documents = {id(document): document for config in stores.active_configs for document in _documents(config)}
    return frozenset(
        key
        for key, document in documents.items()
        if any(is_about(error, document) for error in by_place.get((document.path, document.document), ()))
    )


def _documents(config: ActiveConfig) -> Iterator[DeclaredResource[Any]]:
    yield config.store.brand
    yield from (layer.config for effective in config.types.values() for layer in effective.layers)


def _alike(
    configs: Sequence[ActiveConfig], wrong: Collection[int], menu_of: Callable[[ActiveConfig], Hashable]
) -> Iterator[list[ActiveConfig]]:
    """The stores of equal configurations by brand and menu, and by errors in what they are merged from.

    Each is alone if a condition asks for the store.
    """
    from trialrun.runtime.channel_config.explore.report import reads_store

    if reads_store(configs[0]):
        yield from ([config] for config in configs)
        return
    by_origin: dict[Hashable, list[ActiveConfig]] = {}
    for config in configs:
        errors = frozenset(id(document) for document in _documents(config) if id(document) in wrong)
        by_origin.setdefault((id(config.store.brand), errors, menu_of(config)), []).append(config)
    yield from by_origin.values()
