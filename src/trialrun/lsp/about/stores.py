"""At which stores a config applies, and by what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from trialrun.lsp.about.markdown import code
from trialrun.record import dataclass
from trialrun.report.summary import counted
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.diagnostic import Range
    from trialrun.runtime.channel_config.catalog import BrandCatalog, StoreOfBrand
    from trialrun.runtime.channel_config.layers import Layer
    from trialrun.runtime.declared import Declared

MOST_LISTED = 12
Key = tuple[str, int, str]
"""A document: the path of its file, its number there, and the pointer to the resource."""


@dataclass(frozen=True, eq=False)
class Applied:
    """A config that applies at a store, in a layer of it."""

    store: StoreOfBrand
    layer: Layer


def applied(catalog: BrandCatalog) -> Mapping[Key, Sequence[Applied]]:
    """Where each config applies, in the order of the stores; made once for a catalog."""
    made: dict[Key, list[Applied]] | None = catalog.memory.get("where configs apply")
    if made is None:
        made = catalog.memory["where configs apply"] = {}
        for one in _everywhere(catalog):
            made.setdefault(key_of(one.layer.config), []).append(one)
    return made


def named(catalog: BrandCatalog) -> Mapping[tuple[str, Range], Sequence[Applied]]:
    """Where each default and binding of a brand applies its config, by the file and the place of the name there."""
    made: dict[tuple[str, Range], list[Applied]] | None = catalog.memory.get("where bindings apply")
    if made is None:
        made = catalog.memory["where bindings apply"] = {}
        of_layers: dict[int, list[Applied]] = {}
        for one in _everywhere(catalog):
            of_layers.setdefault(id(one.layer), []).append(one)
        for found in of_layers.values():
            layer = found[0].layer
            made.setdefault((layer.brand.path, layer.brand.locate(layer.place)), []).extend(found)
    return made


def key_of(config: Declared) -> Key:  # type: ignore[type-arg]
    """What tells a document of the workspace from all others."""
    return config.path, config.document, config.pointer


def count_stores(found: Sequence[Applied]) -> int:
    """At how many stores something applies: a store may have it in several layers."""
    return len({(one.store.brand.path, one.store.brand.document, one.store.index) for one in found})


def stores_words(found: Sequence[Applied]) -> str:
    """`1 store`, `12 stores` or `no store`."""
    return counted(number, "store") if (number := count_stores(found)) else "no store"


def stores_paragraphs(found: Sequence[Applied], catalog: BrandCatalog) -> Iterator[str]:
    """The stores at which a config applies, each with the level and the place of what applies it."""
    if not catalog.brands:
        yield "No Brand of the workspace says where this applies."
        return
    yield f"Applies at {stores_words(found)} of {len(catalog.stores)}."
    lines = [f"- {_line(one)}" for one in found[:MOST_LISTED]]
    if len(found) > MOST_LISTED:
        lines.append(f"- and {len(found) - MOST_LISTED} more")
    if lines:
        yield "\n".join(lines)


def _line(one: Applied) -> str:
    layer = one.layer
    rule = f" {code(layer.rule)}" if layer.rule else ""
    by = layer.level.replace("-", " ")
    return f"{code(last_id(one.store.name))}: {by}{rule} ({code(f'{layer.brand.path}:{layer.line}')})"


def _everywhere(catalog: BrandCatalog) -> Iterator[Applied]:
    from trialrun.runtime.channel_config.layers import layers

    for store in catalog.stores:
        for layer in layers(store, catalog):
            yield Applied(store, layer)
