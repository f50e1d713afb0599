"""Names inside texts: conditions, what customers do, tables, types of the session, paths of fields."""

from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import TOWN, at, edited, lines, opened, put
from trialrun.lsp.features.navigation import goto_definition, references
from trialrun.lsp.features.rename import rename
from trialrun.lsp.results import CannotRename
from trialrun.workspace.open_workspace import OpenWorkspace

CONDITION = """\
          conditionExpression: >-
            order.items.exists(i, i.displayName in ["Kid's Fries", 'Shake']
            && i.itemId != 'F-1') && session.tier.rank > 1 && session.tier.title == 'Shake'
          triggerReason: A Shake goes with it.
"""
SCHEMA = """\
kind: SessionSchema
types:
  Order: {items: list(Item), subtotal: double}
  Item: {itemId: string, displayName: string, quantity: int}
  Tier: {rank: int, title: string}
  Session: {tier: Tier, past: "list(Tier)"}
variables: {order: Order, session: Session}
"""
PLAYED = """\
kind: Scenario
name: A session
steps:
  - resolve: {store: pier, expect: {values: [{field: "operationsConfig.upsellStrategy.upsells[Sauce].priority"}]}}
  - session:
      store: pier
      state: {session.tier.rank: 2}
      turns:
        - customer: add 2 shake with "Hot"; set session.tier.rank 3
          expect:
            offered: [{upsell: Sauce, items: [Shake]}]
            order: [2 Shake with Hot]
            conditions: [{upsell: Sauce, parts: {"session.tier.rank > 1": true}}]
  - session:
      store: pier
      table: |
        | customer         | offered        | order | conditions  |
        | add Shake        | Sauce; Sides   | Shake | Sauce: true |
        | remove "Shake"   | -              |       |             |
"""
CITY = {
    **TOWN,
    "lunch": TOWN["lunch"].replace('          conditionExpression: "true"\n', CONDITION),
    "menu": TOWN["menu"].replace(
        "modifierGroups:\n", "  - {name: Shake, id: S-1, modifierGroups: [Sauces]}\nmodifierGroups:\n"
    ),
    "schema": SCHEMA,
    "played": PLAYED,
}


@pytest.fixture
def city(tmp_path: Path) -> OpenWorkspace:
    return opened(tmp_path, **CITY)


def _lines(live: OpenWorkspace, path: str, where: str, ask: object = goto_definition) -> list[str]:
    assert callable(ask)
    return lines(live, ask(live, path, at(live, path, where)))


@pytest.mark.parametrize(
    ("path", "where", "expected"),
    [
        ("lunch.yaml", "'Sh|ake']", ["menu.yaml:5 Shake"]),
        ("lunch.yaml", "\"Kid's| Fries\", 'Shake'", ["menu.yaml:4 Kid's Fries"]),
        ("lunch.yaml", "!= 'F|-1'", ["menu.yaml:4 F-1"]),
        ("lunch.yaml", "title == 'Sh|ake'", []),
        ("lunch.yaml", "session.tier.ra|nk", ["schema.yaml:5 rank"]),
        ("lunch.yaml", "sess|ion.tier.rank", ["schema.yaml:7 session"]),
        ("lunch.yaml", "i.item|Id", ["schema.yaml:4 itemId"]),
        ("lunch.yaml", "|i.itemId", ["lunch.yaml:18 i"]),
        ("schema.yaml", 'list(Ti|er)"', ["schema.yaml:5 Tier"]),
        ("played.yaml", "2 sha|ke with", ["menu.yaml:5 Shake"]),
        ("played.yaml", 'with "H|ot"', ["menu.yaml:7 Hot"]),
        ("played.yaml", "set session.tier.ra|nk", ["schema.yaml:5 rank"]),
        ("played.yaml", "{session.ti|er.rank: 2}", ["schema.yaml:6 tier"]),
        ('played.yaml', '"session.tier.ra|nk > 1": true', ["schema.yaml:5 rank"]),
        ("played.yaml", "[2 Sha|ke with Hot]", ["menu.yaml:5 Shake"]),
        ("played.yaml", "upsells[Sau|ce]", ["lunch.yaml:14 Sauce"]),
        ("played.yaml", "Sauce; Si|des", ["lunch.yaml:8 Sides"]),
        ("played.yaml", "Sau|ce: true", ["lunch.yaml:14 Sauce"]),
        ("played.yaml", 'remove "Sh|ake"', ["menu.yaml:5 Shake"]),
    ],
)  # fmt: skip
def test_leads_to_the_declaration(city: OpenWorkspace, path: str, where: str, expected: list[str]) -> None:
    assert _lines(city, path, where) == expected


def test_all_that_name_an_item(city: OpenWorkspace) -> None:
    assert [line.split()[0] for line in _lines(city, "menu.yaml", "name: Sh|ake", references)] == [
        "lunch.yaml:18",
        "menu.yaml:5",
        "menu.yaml:5",
        "played.yaml:9",
        "played.yaml:11",
        "played.yaml:12",
        "played.yaml:18",
        "played.yaml:18",
        "played.yaml:19",
    ]


def _renamed(live: OpenWorkspace, path: str, where: str, name: str) -> dict[str, list[str]]:
    """The lines that change, by file."""
    found = rename(live, path, at(live, path, where), name)
    made = {file: edited(live, file, edits) for file, edits in found.items()}
    return {
        file: [new for old, new in zip(CITY[file[:-5]].splitlines(), text.splitlines(), strict=True) if old != new]
        for file, text in made.items()
    }


def test_an_item_in_conditions_scripts_and_tables(city: OpenWorkspace) -> None:
    assert _renamed(city, "menu.yaml", "name: Sh|ake", "Tom's Float, big") == {
        "lunch.yaml": [
            "            order.items.exists(i, i.displayName in [\"Kid's Fries\", 'Tom\\'s Float, big']",
        ],
        "menu.yaml": ["  - {name: \"Tom's Float, big\", id: S-1, modifierGroups: [Sauces]}"],
        "played.yaml": [
            "        - customer: add 2 \"Tom's Float, big\" with \"Hot\"; set session.tier.rank 3",
            "            offered: [{upsell: Sauce, items: [\"Tom's Float, big\"]}]",
            "            order: ['2 \"Tom''s Float, big\" with Hot']",
            '        | add "Tom\'s Float, big"        | Sauce; Sides   | "Tom\'s Float, big" | Sauce: true |',
            '        | remove "Tom\'s Float, big"   | -              |       |             |',
        ],
    }  # fmt: skip


def test_a_field_of_the_session_wherever_it_is_read_or_set(city: OpenWorkspace) -> None:
    assert list(map(len, _renamed(city, "schema.yaml", "ra|nk: int", "level").values())) == [1, 3, 1]


def test_a_type_and_a_name_that_a_macro_binds(city: OpenWorkspace) -> None:
    assert _renamed(city, "schema.yaml", "Ti|er:", "Club") == {
        "schema.yaml": ["  Club: {rank: int, title: string}", '  Session: {tier: Club, past: "list(Club)"}']
    }
    (lines,) = _renamed(city, "lunch.yaml", "|i.itemId", "item").values()
    assert lines[1] == "            && item.itemId != 'F-1') && session.tier.rank > 1 && session.tier.title == 'Shake'"


def test_an_upsell_in_overrides_and_expectations(city: OpenWorkspace) -> None:
    over = (
        "kind: ChannelConfig\nname: projects/p/locations/l/brands/north/channelConfigs/late\ntype: UPSELL_STRATEGY\n"
        "operationsConfig: {upsellStrategy: {upsells: [{displayName: Sauce, disabled: true}]}}\n"
    )
    put(city, "late.yaml", over)
    found = rename(city, "lunch.yaml", at(city, "lunch.yaml", "displayName: Sau|ce"), "Dip")
    assert {path: len(edits) for path, edits in found.items()} == {"late.yaml": 1, "lunch.yaml": 1, "played.yaml": 5}


def test_not_where_a_macro_would_hide_what_it_reads(city: OpenWorkspace) -> None:
    put(city, "lunch.yaml", CITY["lunch"].replace("i.itemId != 'F-1')", "i.quantity > session.tier.rank)"))
    with pytest.raises(CannotRename, match="would change what other names of the condition mean"):
        rename(city, "lunch.yaml", at(city, "lunch.yaml", "|i.quantity"), "session")


def test_a_macro_beside_may_bind_the_same_name(city: OpenWorkspace) -> None:
    two = CITY["lunch"].replace("i.itemId != 'F-1')", "i.quantity > 1) && order.items.exists(j, j.quantity > 2)")
    put(city, "lunch.yaml", two)
    (edits,) = rename(city, "lunch.yaml", at(city, "lunch.yaml", "|j.quantity"), "i").values()
    assert "exists(i, i.quantity > 2)" in edited(city, "lunch.yaml", edits)


@pytest.mark.parametrize(
    ("path", "where", "name", "reason"),
    [
        ("schema.yaml", "item|Id:", "id", "is a fixed name of the session for order.items"),
        ("schema.yaml", "ord|er: Order", "cart", "is a fixed name of the session for the order"),
        ("schema.yaml", "ra|nk: int", "title", "already used at schema.yaml:5"),
        ("schema.yaml", "ra|nk: int", "1st", "is not a name; use letters"),
        ("schema.yaml", "sess|ion: Session", "visit", "is a fixed name of the session for the session"),
        ("schema.yaml", "Ti|er:", "list", "is already a type"),
        ("lunch.yaml", "displayName: Sau|ce", "A; B", '^"A; B" cannot be written in a cell of a table'),
    ],
)
def test_refused_with_the_reason(city: OpenWorkspace, path: str, where: str, name: str, reason: str) -> None:
    with pytest.raises(CannotRename, match=reason):
        rename(city, path, at(city, path, where), name)


def test_a_feature_in_a_scenario_is_that_of_a_group_of_the_view(tmp_path: Path) -> None:
    live = opened(
        tmp_path,
        view=TOWN["view"],
        other="kind: FeatureGroupTable\nfeatureGroupId: a\nprojectNumber: '7'\nuri: a\nfeatures: [{id: spend}]\n",
        own="kind: FeatureGroupTable\nfeatureGroupId: orders\nprojectNumber: '7'\nuri: b\nfeatures: [{id: spend}]\n",
        told="kind: Scenario\nname: a\nsteps:\n"
        "  - fetch: {view: guests, expect: {served: [{entityId: g, values: {spend: 3}}]}}\n",
    )
    assert _lines(live, "told.yaml", "spend") == ["own.yaml:5 spend"]
