"""The documents of an open workspace that its trial runs go by, as its texts stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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


@dataclass(frozen=True, slots=True)
class _OfText:
    """What a text declares, each document with the name of its kind in a catalog, and whether some was not read."""

    declared: tuple[tuple[str, Declared[Any]], ...]
    is_troubled: bool


@dataclass(frozen=True, eq=False)
class _Known:
    """Both catalogs as they were at a revision of the workspace, and what each text gave them."""

    revision: int
    texts: dict[str, _OfText]
    views: Catalog
    brands: BrandCatalog


_OF_LIVE: WeakKeyDictionary[Live, _Known] = WeakKeyDictionary()


def views(live: Live) -> Catalog:
    """The views of the workspace with what they are synced from; only texts that changed are read again."""
    return _known(live).views


def brands(live: Live) -> BrandCatalog:
    """The brands of the workspace with their configs and menus; only texts that changed are read again."""
    return _known(live).brands


def share_catalogs(live: Live, copy: Live) -> None:
    """Let a copy of a workspace begin with the catalogs of the other, where there are some."""
    if live in _OF_LIVE:
        _OF_LIVE[copy] = _OF_LIVE[live]


def _known(live: Live) -> _Known:
    known = _OF_LIVE.get(live)
    if known is None:
        known = _OF_LIVE[live] = _made(live, {reading.path: _of_text(reading) for reading in live.readings()})
    elif known.revision != live.revision:
        known = _OF_LIVE[live] = _again(live, known)
    return known


def _again(live: Live, known: _Known) -> _Known:
    """The catalogs where some texts have changed; one that these have no part in stays, with all that it remembers."""
    changed = live.changed_after(known.revision)
    new = {reading.path: _of_text(reading) for reading in live.readings(changed)}
    old = {path: known.texts[path] for path in changed & known.texts.keys()}
    rest = {path: one for path, one in known.texts.items() if path not in changed}
    made = _made(live, rest | new)
    texts = [*old.values(), *new.values()]
    kinds = {kind for one in texts for kind, _ in one.declared}
    is_troubled = any(one.is_troubled for one in texts)
    return replace(
        made,
        views=made.views if is_troubled or kinds & {*OF_VIEWS.values()} else known.views,
        brands=made.brands if is_troubled or kinds & {*OF_BRANDS.values()} else known.brands,
    )


def _of_text(reading: Reading) -> _OfText:
    troubled = bool(reading.tree.troubles) and bool(reading.parts or not reading.tree.documents)
    return _OfText(tuple(_declared(reading)), troubled)


def _made(live: Live, texts: dict[str, _OfText]) -> _Known:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declared import Catalog

    found: dict[str, list[Any]] = {name: [] for name in (*OF_VIEWS.values(), *OF_BRANDS.values())}
    for path in sorted(texts):
        for kind, one in texts[path].declared:
            found[kind].append(one)
    troubled = [path for path in sorted(texts) if texts[path].is_troubled]
    of_views = {name: found[name] for name in OF_VIEWS.values()}
    of_brands = {name: found[name] for name in OF_BRANDS.values()}
    return _Known(
        live.revision,
        texts,
        Catalog(**of_views, troubled=troubled),
        BrandCatalog(**of_brands, types=live.types, troubled=troubled),
    )


def _declared(reading: Reading) -> Iterator[tuple[str, Declared[Any]]]:
    """The documents of a text that a catalog has, each with the name of its kind there."""
    names = {**OF_VIEWS, **OF_BRANDS}
    for part in reading.parts:
        if part.kind in names:
            yield names[part.kind], declaration(part.fitted, reading.tree, part.document, json_pointer(part.root))
