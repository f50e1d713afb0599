"""Brands out of YAML text, for tests: files as a workspace would have them, in memory.

    catalog = brands(BRAND, CONFIGS)             # one text is one file: 1.yaml, 2.yaml, ...
    catalog = brands(**{"brand.yaml": BRAND})    # or a file with a name of its own

A text may have several documents, or a list of resources; its first line with anything on it is line 1.
"""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from trialrun.diagnostic import Range, SymbolicLocation, json_pointer
from trialrun.lint import positions
from trialrun.model.kinds import kind_of, model_of
from trialrun.model.validate import validate
from trialrun.model.validated import ValidatedModel
from trialrun.parser import Document, ParsedFile, parse
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.declaration import BrandCatalog, DeclaredResource
from trialrun.runtime.options import DEFAULT_OPTIONS, Options

ACME = "projects/p/locations/l/brands/acme"
LISTS = {"Brand": "brands", "ChannelConfig": "configs", "Menu": "menus"}


def acme(*defaults: str, of_store: str = "") -> str:
    """The brand acme with its default configs, and its store main-street with those of the store."""
    store = f"{{name: main-street, defaults: [{of_store}]}}"
    return f"{{kind: Brand, name: {ACME}, defaults: [{', '.join(defaults)}], stores: [{store}]}}"


def brands(*texts: str, **files: str) -> BrandCatalog:
    """A catalog of what stands in the texts; what else stands there is left out, and must be readable."""
    found: dict[str, list[Any]] = {name: [] for name in LISTS.values()}
    named = {f"{number}.yaml": text for number, text in enumerate(texts, 1)} | files
    for path, text in named.items():
        tree = parse(dedent(text).lstrip("\n").encode(), path)
        assert not tree.errors, [trouble.message for trouble in tree.errors]
        for document in tree.documents:
            for kind, one in _resources(tree, document):
                found[LISTS[kind]].append(one)
    return BrandCatalog(**found)


def at_store(store: str, *texts: str, options: Options = DEFAULT_OPTIONS) -> ActiveConfig:
    """What is in force at a store of the brands in the texts."""
    catalog = brands(*texts)
    return resolve_active_config(catalog.store(store), catalog, options)


def _resources(tree: ParsedFile, document: Document) -> list[tuple[str, DeclaredResource[Any]]]:
    listed = isinstance(document.value, list)
    values = document.value if listed else [document.value]
    found = []
    for index, value in enumerate(values):
        kind = kind_of(value)
        if kind in LISTS:
            root = (index,) if listed else ()
            fitted = validate(value, model_of(kind), root=root)
            found.append((kind, _declared(fitted, tree, document, json_pointer(root))))
    return found


def _declared(fitted: ValidatedModel, tree: ParsedFile, document: Document, pointer: str) -> DeclaredResource[Any]:
    def locate(place: SymbolicLocation) -> Range:
        return positions.range_of(tree.source, positions.span_of(document, fitted.path(place)))

    return DeclaredResource(fitted.node, tree.source.path, "/brands", document.index, locate, pointer)
