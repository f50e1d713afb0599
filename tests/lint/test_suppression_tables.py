"""The `[[suppress]]` tables of the settings, which also silence what stands in JSON."""

from __future__ import annotations

import json
from itertools import product

import pytest

from tests.cases import each_of
from tests.lint.suppressed import silenced
from trialrun.diagnostic import Range
from trialrun.lint.settings import IgnoreTable
from trialrun.lint.suppression.apply import AppliedSuppressions, SuppressTables, table_ranges
from trialrun.text import Position

PATH = "views/v.json"
VIEW = json.dumps(
    {
        "kind": "FeatureView",
        "name": "projects/p/locations/l/featureOnlineStores/s/featureViews/v",
        "warehouseSource": {"uri": "bq://p.d.t", "entityIdColumns": ["id"]},
        "syncConfig": {"cron": "0 25 * * *"},
    }
)
HEADER = Range(Position(3, 1), Position(3, 11))


def under(*tables: IgnoreTable, whole: bool = True) -> AppliedSuppressions:
    ranges = tuple(HEADER for _ in tables)
    return silenced(
        VIEW, path=PATH, whole=whole, tables=SuppressTables("trialrun.toml", tables, ranges, lambda path: path)
    )


@each_of(product(["views/v.json", "views/*.json", "**/v.json", "views/"], ["", "/syncConfig", "/syncConfig/cron"]))
def test_a_table_silences_its_rule_in_its_files_at_its_pointer(path: str, pointer: str) -> None:
    found = under(IgnoreTable(path, ("cron-syntax",), pointer, "why owner=rides", "2026-11-20"))
    assert found.kept == []
    assert [(diagnostic.reason, diagnostic.until, diagnostic.kind) for diagnostic in found.suppressed] == [
        ("why", "2026-11-20", "settings")
    ]
    assert found.statuses[0].owner == "rides"


@pytest.mark.parametrize(
    "table",
    [
        IgnoreTable("other/*.json", ("cron-syntax",), reason="why"),
        IgnoreTable(PATH, ("cron-syntax",), "/sync", "why"),
        IgnoreTable(PATH, ("cron-rare",), reason="why"),
    ],
)
def test_a_table_that_silences_nothing_is_told_at_its_header(table: IgnoreTable) -> None:
    found = under(table)
    assert sorted((diagnostic.rule, diagnostic.path, diagnostic.range.start.line) for diagnostic in found.kept) == [
        ("cron-syntax", PATH, 1),
        ("unused-suppression", "trialrun.toml", 3),
    ]


def test_a_table_may_speak_of_files_that_were_not_looked_at() -> None:
    rules = ("cron-syntax", "cron-rare")
    assert [
        diagnostic.rule for diagnostic in under(IgnoreTable("views/*", rules, reason="why"), whole=False).kept
    ] == []
    messages = [diagnostic.message for diagnostic in under(IgnoreTable(PATH, rules, reason="why"), whole=False).kept]
    assert messages == ["no cron-rare is found here; remove it from the table, or remove the table"]


@pytest.mark.parametrize("until", ["2026-11-19", "2026-13-01", "2026-11-20T00:00:00"])
def test_a_table_that_has_ended_silences_nothing(until: str) -> None:
    found = under(IgnoreTable(PATH, ("cron-syntax",), reason="why", until=until))
    assert sorted(diagnostic.rule for diagnostic in found.kept) == ["cron-syntax", "expired-suppression"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('edition = "2026.1"\n\n[[suppress]]\npath = "a"\n# [[suppress]]\n  [[ suppress ]]\n', [3, 6]),
        ("[tool.trialrun]\n[[tool.trialrun.suppress]]\n[[ tool . trialrun . suppress ]] # why\n", [2, 3]),
        ('suppress = [{path = "a", rule = "b"}]\n', [1, 1]),
    ],
)
def test_where_the_tables_begin(text: str, lines: list[int]) -> None:
    tables = [IgnoreTable("a", ("b",), number=number) for number in (0, 1)]
    assert [table_range.start.line for table_range in table_ranges(text, tables)] == lines


def test_where_tables_of_both_names_begin() -> None:
    tables = [IgnoreTable("a", ("b",), key=key) for key in ("suppress", "ignore")]
    assert [table_range.start.line for table_range in table_ranges("[[ignore]]\n[[suppress]]\n", tables)] == [2, 1]
