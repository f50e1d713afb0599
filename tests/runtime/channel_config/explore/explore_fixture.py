"""Searches out of YAML text, for tests: the store, the menu and the clock of `session_fixture.py`."""

from __future__ import annotations

from typing import Any

from tests.runtime.channel_config.brands import brands
from tests.runtime.channel_config.session.session_fixture import BEGIN, BRAND, upsells
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.explore.anomaly import Anomaly, AnomalyKind, Exploration
from trialrun.runtime.channel_config.explore.report import build_exploration
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.channel_config.menu import brand_menu
from trialrun.runtime.options import DEFAULT_OPTIONS, Options
from trialrun.values.cel import DEFAULT_SCHEMA, Schema


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


def explored(*texts: str, sessions: int = 100, **options: Any) -> Exploration:
    """What a search finds in so many sessions, each made as short as it can be."""
    found = search(*texts, **options)
    assert list(found.play(sessions))[-1:] == [sessions]
    list(found.shorten())
    return build_exploration(found, sessions)


def only(found: Exploration, kind: AnomalyKind) -> Anomaly:
    """The one surprise of a kind."""
    (surprise,) = [anomaly for anomaly in found.anomalies if anomaly.kind == kind]
    return surprise


def kinds(found: Exploration) -> set[AnomalyKind]:
    """The kinds of surprises that were found."""
    return {anomaly.kind for anomaly in found.anomalies}


def script(surprise: Anomaly) -> list[str]:
    """The lines of the shortest session that shows a surprise."""
    assert surprise.example
    return list(surprise.example.lines)
