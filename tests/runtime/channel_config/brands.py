"""Brands out of YAML text, for tests: files as a workspace has them, in memory; sessions, and searches over many.

    catalog = brands(BRAND, CONFIGS)             # one text is one file: 1.yaml, 2.yaml, ...
    catalog = brands(**{"brand.yaml": BRAND})    # or a file with a name of its own
    session = play(upsells("- {priority: 1, celUpsell: {...}}"))  # of one store, one strategy, a small menu
    session.turn([add("Fries", 2)])

A text may have several documents, or a list of resources; its first line with anything on it is line 1.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from textwrap import dedent, indent
from typing import Any

from trialrun.diagnostic import Range, SymbolicLocation, json_pointer
from trialrun.lint import positions
from trialrun.model.kinds import kind_of, model_of
from trialrun.model.validate import validate
from trialrun.model.validated import ValidatedModel
from trialrun.outputs.explore import Explored, Surprise, build_explored
from trialrun.parser import Document, ParsedFile, parse
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.explore.anomaly import AnomalyKind
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.channel_config.menu import BrandMenu, OrderLineItem, brand_menu
from trialrun.runtime.channel_config.session.actions import Add
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.channel_config.session.turn import SkipReasonCode, Turn
from trialrun.runtime.declaration import BrandCatalog, DeclaredResource
from trialrun.runtime.options import DEFAULT_OPTIONS, Options
from trialrun.values.cel import DEFAULT_SCHEMA, Schema

ACME = "projects/p/locations/l/brands/acme"
LISTS = {"Brand": "brands", "ChannelConfig": "configs", "Menu": "menus"}


def acme(*defaults: str, of_store: str = "") -> str:
    """The brand acme with its default configs, and its store main-street with those of the store."""
    store = f"{{name: main-street, defaults: [{of_store}]}}"
    return f"{{kind: Brand, name: {ACME}, defaults: [{', '.join(defaults)}], stores: [{store}]}}"


def brands(*texts: str, **files: str) -> BrandCatalog:
    """A catalog of what stands in the texts; what else stands there is left out, and must be readable."""
    found: dict[str, list[Any]] = {name: [] for name in LISTS.values()}
    for path, text in ({f"{number}.yaml": text for number, text in enumerate(texts, 1)} | files).items():
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


BEGIN = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
BRAND = """
kind: Brand
name: b
defaults: [upsells, voice]
stores: [{name: s, timeZone: America/Chicago}]
---
kind: Menu
brand: b
items:
  - {name: Burger, id: I-1, price: 6.10, modifierGroups: [Extras]}
  - {name: Fries, id: I-2, price: 2.20, modifierGroups: [Size]}
  - {name: Vanilla Shake, id: I-3, price: 4.49, modifierGroups: []}
  - {name: Chocolate Shake, id: I-4, price: 4.49, modifierGroups: []}
  - {name: Cookie, id: I-5, price: 0.10, modifierGroups: []}
modifierGroups:
  - {name: Extras, id: G-1, modifiers: [{name: Cheese, id: M-1}, {name: Bacon, id: M-2}]}
  - {name: Size, id: G-2, modifiers: [{name: Large, id: M-3}]}
"""
NAME = "projects/p/locations/l/brands/b/channelConfigs"


def strategy(text: str) -> str:
    """A config with an upsell strategy."""
    head = f"kind: ChannelConfig\nname: {NAME}/upsells\ntype: UPSELL_STRATEGY\noperationsConfig:\n  upsellStrategy:\n"
    return head + indent(dedent(text).strip("\n"), "    ")


def upsells(text: str) -> str:
    """A config with these upsells, and no limits."""
    return strategy("upsells:\n" + indent(dedent(text).strip("\n"), "  "))


def voice(text: str) -> str:
    """A config of the agent with these operations."""
    head = f"kind: ChannelConfig\nname: {NAME}/voice\ntype: AGENT_CUSTOMIZATION\noperationsConfig:\n"
    return head + indent(dedent(text).strip("\n"), "  ")


def play(
    *texts: str,
    seed: int = 1,
    schema: Schema = DEFAULT_SCHEMA,
    brand: str = BRAND,
    choices: Options = DEFAULT_OPTIONS,
    **options: Any,
) -> Session:
    """A session at the one store; a text that is no whole config is a list of upsells."""
    active, menu = at_the_store(choices, brand, *(text if "kind:" in text else upsells(text) for text in texts))
    return Session(active, menu, seed=seed, **{"types": types_of(schema), "begin": BEGIN, **options})


@lru_cache(maxsize=4)
def at_the_store(choices: Options, *texts: str) -> tuple[ActiveConfig, BrandMenu]:
    """What is in force at the one store, which the sessions of some texts share as those of a server do."""
    catalog = brands(*texts)
    store = catalog.store("s")
    return resolve_active_config(store, catalog, choices), brand_menu(store.brand, catalog, store.store)


@lru_cache(maxsize=4)
def types_of(schema: Schema) -> Callable[[str], Schema]:
    """The session types of every file."""
    return lambda path: schema


def ordered(name: str, quantity: int = 1, *modifiers: str) -> OrderLineItem:
    """So many of an item of the menu."""
    _, menu = at_the_store(DEFAULT_OPTIONS, BRAND)
    item = menu.item(name)
    return OrderLineItem(item, quantity, tuple(menu.modifier(modifier, item) for modifier in modifiers))


def add(name: str, quantity: int = 1, *modifiers: str) -> Add:
    """The move that orders it."""
    return Add(ordered(name, quantity, *modifiers))


def offered(turn: Turn) -> list[str]:
    """What is offered: the first item of each."""
    return [offer.items[0] for offer in turn.offers]


def reasons(turn: Turn) -> dict[str, Sequence[SkipReasonCode]]:
    """Why the others are passed over, by their names."""
    return {
        skipped_upsell.upsell.displayName or "": [each.code for each in skipped_upsell.reasons]
        for skipped_upsell in turn.skipped
    }


def why(turn: Turn, code: SkipReasonCode) -> str:
    """The words of a reason."""
    return next(each.text for skipped_upsell in turn.skipped for each in skipped_upsell.reasons if each.code == code)


def lines(turn: Turn) -> list[tuple[str, int]]:
    """The order: names and quantities."""
    return [(item.item.name, item.quantity) for item in turn.order]


def search(
    *texts: str, schema: Schema = DEFAULT_SCHEMA, brand: str = BRAND, choices: Options = DEFAULT_OPTIONS, **options: Any
) -> Search:
    """A search at the one store, of which nothing was played; a text that is no whole config is a list of upsells."""
    catalog = brands(brand, *(text if "kind:" in text else upsells(text) for text in texts))
    store = catalog.store("s")
    menu = brand_menu(store.brand, catalog, store.store)
    return Search(
        resolve_active_config(store, catalog, choices),
        menu,
        lambda path: schema,
        begin=options.pop("begin", BEGIN),
        **options,
    )


def explored(*texts: str, sessions: int = 100, **options: Any) -> Explored:
    """What a search finds in so many sessions, each made as short as it can be."""
    found = search(*texts, **options)
    assert list(found.play(sessions))[-1:] == [sessions]
    list(found.shorten())
    return build_explored(found, sessions)


def only(found: Explored, kind: AnomalyKind) -> Surprise:
    """The one surprise of a kind."""
    (surprise,) = [surprise for surprise in found.surprises if surprise.kind == kind]
    return surprise


def kinds(found: Explored) -> set[AnomalyKind]:
    """The kinds of surprises that were found."""
    return {surprise.kind for surprise in found.surprises}


def script(surprise: Surprise) -> list[str]:
    """The lines of the shortest session that shows a surprise."""
    assert surprise.example
    return list(surprise.example.lines)
