"""The documents of an open workspace that its trial runs go by, as its texts stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from trialrun.diagnostic import json_pointer
from trialrun.record import dataclass
from trialrun.workspace.catalog import OF_BRANDS, OF_VIEWS, declaration

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declared import Catalog, Declared
    from trialrun.workspace.live.live import Live
    from trialrun.workspace.live.reading import Reading


@dataclass(frozen=True, eq=False)
class _Known:
    """Both catalogs as they were at a revision of the workspace."""

    revision: int
    views: Catalog
    brands: BrandCatalog


_OF_LIVE: WeakKeyDictionary[Live, _Known] = WeakKeyDictionary()


def views(live: Live) -> Catalog:
    """The views of the workspace with what they are synced from; made again when a text has changed."""
    return _known(live).views


def brands(live: Live) -> BrandCatalog:
    """The brands of the workspace with their configs and menus; made again when a text has changed."""
    return _known(live).brands


def _known(live: Live) -> _Known:
    known = _OF_LIVE.get(live)
    if known is None or known.revision != live.revision:
        known = _OF_LIVE[live] = _made(live)
    return known


def _made(live: Live) -> _Known:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declared import Catalog

    found: dict[str, list[Any]] = {name: [] for name in (*OF_VIEWS.values(), *OF_BRANDS.values())}
    troubled: list[str] = []
    for reading in live.readings():
        for kind, one in _declared(reading):
            found[kind].append(one)
        if reading.tree.troubles and (reading.parts or not reading.tree.documents):
            troubled.append(reading.path)
    of_views = {name: found[name] for name in OF_VIEWS.values()}
    of_brands = {name: found[name] for name in OF_BRANDS.values()}
    return _Known(
        live.revision,
        Catalog(**of_views, troubled=troubled),
        BrandCatalog(**of_brands, types=live.types, troubled=troubled),
    )


def _declared(reading: Reading) -> Iterator[tuple[str, Declared[Any]]]:
    """The documents of a text that a catalog has, each with the name of its kind there."""
    names = {**OF_VIEWS, **OF_BRANDS}
    for part in reading.parts:
        if part.kind in names:
            yield names[part.kind], declaration(part.fitted, reading.tree, part.document, json_pointer(part.root))
