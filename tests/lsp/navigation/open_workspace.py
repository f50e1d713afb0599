"""A workspace of some texts, open as in an editor; places in them by their words, and what is shown there."""

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from trialrun.diagnostic import Range, TextEdit
from trialrun.lint.settings import Profiles, Settings
from trialrun.lsp.features.hover import hover
from trialrun.lsp.results import Object
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def opened(folder: Path, **texts: str) -> OpenWorkspace:
    """A workspace of files by their names without `.yaml`, in a folder that is the working directory."""
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return live(folder)


def live(folder: Path) -> OpenWorkspace:
    """The workspace in a folder."""
    return OpenWorkspace(CheckRequest(str(folder), NOW, Profiles(Settings()), cache=False))


def put(live: OpenWorkspace, path: str, text: str) -> None:
    """Put another text in place of a file, as a person does who types."""
    live.set_overlay(os.path.abspath(path), text.encode())


def at(live: OpenWorkspace, path: str, words: str) -> int:
    """Where some words stand, or `|` in them."""
    plain = words.replace("|", "", 1)
    return text(live, path).index(plain) + max(words.find("|"), 0)


def text(live: OpenWorkspace, path: str) -> str:
    """The text of a file."""
    reading = live.workspace_file(path)
    assert reading is not None
    return reading.source.text


def words(live: OpenWorkspace, path: str, place: Range) -> str:
    """The characters of a place."""
    reading = live.workspace_file(path)
    assert reading is not None
    return reading.source.text[reading.source.offset(place.start) : reading.source.offset(place.end)]


def lines(live: OpenWorkspace, found: Iterable[Object]) -> list[str]:
    """The path and line of each location, and its characters."""
    return [f"{one['uri']}:{one['range'].start.line} {words(live, one['uri'], one['range'])}" for one in found]


def edited(live: OpenWorkspace, path: str, edits: Sequence[TextEdit]) -> str:
    """The text of a file after some edits."""
    reading = live.workspace_file(path)
    assert reading is not None
    made, source = reading.source.text, reading.source
    for edit in sorted(edits, key=lambda one: one.range, reverse=True):
        made = made[: source.offset(edit.range.start)] + edit.text + made[source.offset(edit.range.end) :]
    return made


def shown(live: OpenWorkspace, path: str, place: str) -> str:
    """What is shown at `|`."""
    found = hover(live, path, at(live, path, place))
    return str(found["contents"]["value"]) if found else ""


def marked(live: OpenWorkspace, path: str, place: str) -> str:
    """The characters that what is shown at `|` is about."""
    found = hover(live, path, at(live, path, place))
    return words(live, path, found["range"]) if found else ""


BRAND = """\
kind: Brand
name: projects/p/locations/l/brands/north
defaults: [projects/p/locations/l/brands/north/channelConfigs/lunch]
bindings:
  - rule: late
    channelConfig: lunch
    stores: {names: [pier]}
stores:
  - name: projects/p/locations/l/brands/north/stores/pier
    bindings:
      - {rule: quiet, channelConfig: "lunch"}
"""
LUNCH = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/north/channelConfigs/lunch
type: UPSELL_STRATEGY
operationsConfig:
  defaultLanguageCode: en-US
  upsellStrategy:
    upsells:
      - displayName: Sides
        priority: 1
        greetingOffer:
          messages:
            - upsoldItemIds: [F-1]
              messageConfigs: [{languageCode: en-US, messageText: Fries?}]
      - displayName: Sauce
        priority: 2
        celUpsell:
          conditionExpression: "true"
          suggestedMenuItems: ["Kid's Fries", 'Kid''s Fries']
          suggestedModifierGroups:
            - {name: Sauces, suggestedModifiers: [Hot]}
"""
MENU = """\
kind: Menu
brand: north
items:
  - {name: Kid's Fries, id: F-1, modifierGroups: [Sauces, G-2]}
modifierGroups:
  - {name: Sauces, id: G-1, modifiers: [{name: Hot}]}
  - {name: Drinks, id: G-2, modifiers: [{name: Hot}]}
"""
TABLES = """\
kind: FeatureGroupTable
featureGroupId: orders
projectNumber: "7"
uri: bq://p.d.orders
entityIdColumns: [guest]
features: [{id: spend}]
---
kind: FeatureGroupTable
featureGroupId: orders
projectNumber: "8"
uri: bq://p.d.others
entityIdColumns: [guest]
features: [{id: spend}]
---
kind: Source
uri: bq://p.d.orders
files: orders.csv
columns: [{name: guest, type: STRING}, {name: spend, type: FLOAT}, {name: feature_timestamp, type: TIMESTAMP}]
---
kind: FeatureOnlineStore
name: shop
type: KEY_VALUE
"""
VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/shop/featureViews/guests
featureRegistrySource:
  projectNumber: "7"
  featureGroups:
    - {featureGroupId: orders, featureIds: [spend]}
"""
SCENARIO = """\
kind: Scenario
name: What is in force
steps:
  - sync: {view: guests}
  - resolve:
      store: pier
      expect:
        values: [{field: tone, config: lunch, rule: quiet}]
"""
TOWN = {"brand": BRAND, "lunch": LUNCH, "menu": MENU, "tables": TABLES, "view": VIEW, "scenario": SCENARIO}
