"""The outline of a text, and what folds in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import live, opened, words
from trialrun.lsp.features.outline import PART_KINDS, document_symbols, folding_range
from trialrun.lsp.results import Object

BURGERS = Path(__file__).parents[3] / "fixtures" / "workspaces" / "burger-brand"
MENU = """\
kind: Menu
items:
  - {name: Fries, id: F-1}
  - name: "Caf\\u00e9 🥤"
    price: 2
---
kind: Elsewhere
a: 1
---
kind: Brand
name: projects/p/locations/l/brands/b
defaults: &d [one, two]
stores:
  - name: s
    defaults: *d
"""


def _lines(found: list[Object], depth: int = 0) -> Iterator[str]:
    kinds = {number: kind for kind, number in PART_KINDS.items()}
    for symbol in found:
        detail = f" = {symbol['detail']}" if "detail" in symbol else ""
        yield f"{'  ' * depth}{kinds[symbol['kind']]} {symbol['name']}{detail}"
        yield from _lines(symbol["children"], depth + 1)


def test_nested_as_in_the_file(tmp_path: Path) -> None:
    assert list(_lines(document_symbols(opened(tmp_path, menu=MENU), "menu.yaml"))) == [
        "resource Menu = Menu",
        "  field kind = Menu",
        "  message items = 2",
        "    item Fries",
        "      field name = Fries",
        "      field id = F-1",
        "    item Café 🥤 = 2",
        "      field name = Café 🥤",
        "      field price = 2",
        "resource b = Brand",
        "  field kind = Brand",
        "  field name = b",
        "  message defaults = one, two",
        "    item one",
        "    item two",
        "  message stores = 1",
        "    item s",
        "      field name = s",
        "      field defaults",
    ]


def test_what_stands_at_an_anchor_is_told_there_alone(tmp_path: Path) -> None:
    text = "kind: Menu\nitems:\n  - &f {name: Fries}\n  - *f\n  - <<: *f\n    id: F-2\n"
    assert list(_lines(document_symbols(opened(tmp_path, menu=text), "menu.yaml")))[2:] == [
        "  message items = 3",
        "    item Fries",
        "      field name = Fries",
        "    item Fries",
        "      field id = F-2",
    ]


def test_a_symbol_is_around_its_selection_and_its_parts(tmp_path: Path) -> None:
    waiting = list(document_symbols(opened(tmp_path, menu=MENU), "menu.yaml"))
    while waiting:
        one = waiting.pop()
        for inner in (one["selectionRange"], *(part["range"] for part in one["children"])):
            assert one["range"].start <= inner.start <= inner.end <= one["range"].end, one["name"]
        waiting.extend(one["children"])


def test_selects_the_key(tmp_path: Path) -> None:
    town = opened(tmp_path, menu=MENU)
    items = document_symbols(town, "menu.yaml")[0]["children"][1]
    assert words(town, "menu.yaml", items["selectionRange"]) == "items"


def test_of_a_broken_text_what_can_be_read(tmp_path: Path) -> None:
    town = opened(tmp_path, menu="kind: Menu\nitems:\n  - name: Fries\n    id: [\n  - name: Cola\n")
    assert "    item Fries" in list(_lines(document_symbols(town, "menu.yaml")))


def test_nothing_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert document_symbols(opened(tmp_path), "menu.yaml") == []


def test_parts_are_called_and_told_apart_as_a_person_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BURGERS)
    example = live(BURGERS)
    found = [line.strip() for path in ("channels/everyday-upsells.yaml", "channels/house-voice.yaml",
             "feature-views/guest-profile.yaml", "brand/brand.yaml", "scenarios/dayparts.yaml")
             for line in _lines(document_symbols(example, path))]  # fmt: skip
    wanted = [
        "resource everyday-upsells = ChannelConfig, UPSELL_STRATEGY",
        "item Fries with burgers = priority 1, celUpsell",
        "message greetings = en-US, es-US",
        "item shake, milkshake, malt = DISAMBIGUATION",
        "resource guest_profile = FeatureView, CRON_TZ=America/Chicago 15 4 * * *",
        "item drive-thru-stores = drive-thru-speed",
        "item Austin, South Lamar = austin-lamar",
        "item session austin-lamar = 2026-11-20T15:59:00Z",
    ]
    assert [symbol for symbol in wanted if symbol not in found] == []


CONFIG = """\
kind: ChannelConfig
operations_config:
  upsellStrategy:
    upsells:
      - closingOffer:
          closingMessages:
            - offerMessage: {upsoldItems: [Pie]}
"""
SCENARIO = """\
kind: Scenario
steps:
  - resolve:
      store: s
      expect:
        values:
          - {rule: lunch, field: tone, value: FRIENDLY}
  - wait:
      expect:
        syncs:
          - {view: projects/p/featureViews/menu, clock: 2026-11-20}
"""


def test_items_are_called_by_the_key_of_their_message(tmp_path: Path) -> None:
    town = opened(tmp_path, menu="kind: Menu\nitems:\n  - name: Salad/Soup\n", config=CONFIG, scenario=SCENARIO)
    names = {
        line.strip()
        for path in ("menu.yaml", "config.yaml", "scenario.yaml")
        for line in _lines(document_symbols(town, path))
    }
    assert names >= {"item Salad/Soup", "item Pie", "item tone = FRIENDLY", "item menu = 2026-11-20"}


TEXT = """\
# one
# two
kind: Menu
items:
  - name: Fries
    id: |
      F

  # alone
  - {name: Cola,
     id: C}
modifierGroups: []
"""


def test_values_over_several_lines_and_runs_of_comments(tmp_path: Path) -> None:
    live = opened(tmp_path, menu=TEXT)
    assert [(*lines, kind) for *lines, kind in map(dict.values, folding_range(live, "menu.yaml"))] == [
        (0, 1, "comment"),
        (3, 10, "region"),
        (4, 6, "region"),
        (5, 6, "region"),
        (9, 10, "region"),
    ]


def test_each_document_of_several(tmp_path: Path) -> None:
    live = opened(tmp_path, two="kind: Menu\nname: a\n---\nkind: Menu\nname: b\n")
    assert [(fold["startLine"], fold["endLine"]) for fold in folding_range(live, "two.yaml")] == [(0, 1), (3, 4)]


def test_what_stands_at_an_anchor_folds_there_alone(tmp_path: Path) -> None:
    live = opened(tmp_path, two="kind: Brand\ndefaults: &d\n  - a\n  - b\nstores:\n  - {name: s, defaults: *d}\n")
    assert [(fold["startLine"], fold["endLine"]) for fold in folding_range(live, "two.yaml")] == [(1, 3), (4, 5)]
