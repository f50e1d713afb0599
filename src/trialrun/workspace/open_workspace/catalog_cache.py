"""The documents of an open workspace that its trial runs go by, as its texts stand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from trialrun.diagnostic import Inside, Place, Range, json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import positions
from trialrun.parser import Tree, read
from trialrun.workspace.catalog import OF_BRANDS, OF_VIEWS

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog, Declared
    from trialrun.values.cel import Schema
    from trialrun.workspace.open_workspace.open_workspace import Live
    from trialrun.workspace.open_workspace.parsed_file import Part, Reading


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


_Ahead = dict[str, tuple[int, _OfText | None]]
"""What was read of texts before anybody asked, each at a revision of the workspace; None of one that is foreign."""
_OF_LIVE: WeakKeyDictionary[Live, _Known] = WeakKeyDictionary()
_AHEAD: WeakKeyDictionary[Live, _Ahead] = WeakKeyDictionary()


def views(live: Live) -> Catalog:
    """The views of the workspace with what they are synced from; only texts that changed are read again."""
    return _known(live).views


def brands(live: Live) -> BrandCatalog:
    """The brands of the workspace with their configs and menus; only texts that changed are read again."""
    return _known(live).brands


def last_brands(live: Live) -> BrandCatalog | None:
    """The brands of the workspace as they were when they were last asked for; None where nobody did."""
    known = _OF_LIVE.get(live)
    return None if known is None else known.brands


def share_catalogs(live: Live, copy: Live) -> None:
    """Let a copy of a workspace begin with the catalogs of the other, where there are some."""
    if live in _OF_LIVE:
        _OF_LIVE[copy] = _OF_LIVE[live]


def behind(live: Live) -> set[str]:
    """The paths of the texts that have not been read as they are now; the catalogs wait for these when asked for."""
    known, ahead = _OF_LIVE.get(live), _AHEAD.get(live, {})
    paths = live.paths & live.changed_after(known.revision) if known else live.paths
    return {path for path in paths if path not in ahead or live.changed_at(path) > ahead[path][0]}


def read_ahead(live: Live, path: str) -> Reading | None:
    """Read what a text declares before the catalogs are asked for; the text, where there is one."""
    reading = next(live.readings([path]), None)
    _AHEAD.setdefault(live, {})[path] = live.revision, _of_text(live, reading) if reading else None
    return reading


def hand_over(live: Live, other: Live) -> None:
    """Let another workspace have what was read of those texts that are the same there."""
    ahead = _AHEAD.pop(live, {})
    if known := _OF_LIVE.pop(live, None):
        ahead = {path: (known.revision, one) for path, one in known.texts.items()}
    before, after = live.signs(), other.signs()
    _AHEAD[other] = {
        path: (other.revision, one)
        for path, (at, one) in ahead.items()
        if live.changed_at(path) <= at and before.get(path) == after.get(path)
    }


def _known(live: Live) -> _Known:
    known = _OF_LIVE.get(live)
    if known is None:
        known = _OF_LIVE[live] = _made(live, _texts(live, live.paths))
    elif known.revision != live.revision:
        known = _OF_LIVE[live] = _again(live, known)
    return known


def _texts(live: Live, paths: Set[str]) -> dict[str, _OfText]:
    """What some texts declare; those of which nothing was read ahead, or that changed since, are read now.

    What is read stays read where a question is left halfway.
    """
    ahead = _AHEAD.setdefault(live, {})
    fresh = {path for path, (at, _) in ahead.items() if live.changed_at(path) <= at}
    for reading in live.readings(paths - fresh):
        ahead[reading.path] = live.revision, _of_text(live, reading)
        fresh.add(reading.path)
    del _AHEAD[live]
    known = fresh & paths
    return {path: one for path, (_, one) in ahead.items() if path in known and one is not None}


def _again(live: Live, known: _Known) -> _Known:
    """The catalogs where some texts have changed; one that these have no part in stays, with all that it remembers."""
    changed = live.changed_after(known.revision)
    new = _texts(live, changed & live.paths)
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


def _of_text(live: Live, reading: Reading) -> _OfText:
    live.turns_to(reading.path)
    troubled = bool(reading.tree.troubles) and bool(reading.parts or not reading.tree.documents)
    declared = tuple(_declared(live, reading))
    live.turns_to(None)
    return _OfText(declared, troubled)


def _made(live: Live, texts: dict[str, _OfText]) -> _Known:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog

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
        BrandCatalog(**of_brands, types=_types(live), troubled=troubled),
    )


def _declared(live: Live, reading: Reading) -> Iterator[tuple[str, Declared[Any]]]:
    """The documents of a text that a catalog has, each with the name of its kind there."""
    from trialrun.runtime.declaration import Declared

    names, folder = {**OF_VIEWS, **OF_BRANDS}, os.path.dirname(os.path.abspath(reading.path))
    for part in reading.parts:
        if part.kind in names:
            index, locate = part.document.index, _locating(live, reading, part)
            yield (
                names[part.kind],
                Declared(part.fitted.node, reading.path, folder, index, locate, json_pointer(part.root)),
            )


def _locating(live: Live, reading: Reading, part: Part) -> Callable[[Place], Range]:
    """The way from a place of a model to its lines; the tree of the text is not kept for it, but read again."""
    data, path, index, fitted = reading.data, reading.path, part.document.index, part.fitted
    source = ref(live)

    def locate(place: Place) -> Range:
        tree = _tree(source(), path, data)
        document = next(one for one in tree.documents if one.index == index)
        chars = place.chars if isinstance(place, Inside) else None
        return positions.range_of(tree.source, positions.span_at(document, fitted.path(place), chars=chars))

    return locate


def _tree(live: Live | None, path: str, data: bytes) -> Tree:
    reading = live.reading(path) if live else None
    return reading.tree if reading and reading.data == data else read(data, path)


def _types(live: Live) -> Callable[[str], Schema]:
    """The types that a workspace declares, without keeping it."""
    source = ref(live)

    def types(path: str) -> Schema:
        live = source()
        if live is None:
            raise LookupError(path)
        return live.types(path)

    return types
