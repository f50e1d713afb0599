"""`trialrun new`: a document of any kind, in the names of its workspace; copies; and what is refused."""

import json
import os
from pathlib import Path

import pytest

from tests.program import Run, view
from trialrun.model.kinds import KINDS
from trialrun.parser import parse

ROOT = Path(__file__).parent.parent.parent
VIEW_NAME = "projects/p/locations/l/featureOnlineStores/s/featureViews/v"
BRAND = """\
# The brand of all diners.
kind: Brand
name: projects/p/locations/l/brands/old   # as the service has it
defaults: [projects/p/locations/l/brands/old/channelConfigs/everyday]
stores:
  - name: projects/p/locations/l/brands/old/stores/main   # the first one
    timeZone: Europe/Paris
"""


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_checks_clean(run: Run, tmp_path: Path, kind: str) -> None:
    assert run("new", kind, "my-name", "-o", f"some/folder/{kind}.yaml").out == f"wrote some/folder/{kind}.yaml\n"
    ran = run("check", "--output-format", "json")
    report = json.loads(ran.out)
    assert (ran.code, report["diagnostics"], report["not_checked"]) == (0, [], [])
    assert report["summary"]["documents"] == 1


NOTES = {"ChannelConfig": {"unused-channel-config"}, "FeatureGroupTable": {"unknown-column"}}
"""What a person has to do next in a workspace: bind the config, and declare the table."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_sound_in_a_workspace(run: Run, kind: str) -> None:
    run("init")
    assert run("new", kind, "my_name", "-o", f"new/{kind}.yaml").code == 0
    found = json.loads(run("check", "--output-format", "json").out)["diagnostics"]
    assert {diagnostic["rule"] for diagnostic in found} == NOTES.get(kind, set())
    assert {diagnostic["severity"] for diagnostic in found} <= {"note"}


def test_names_are_those_of_the_workspace(run: Run) -> None:
    run("init")
    text = run("new", "FeatureView", "guests").out
    assert "name: projects/corner-diner/locations/us-central1/featureOnlineStores/serving/featureViews/guests\n" in text
    assert "uri: bq://corner-diner.serving.menu_taste" in text
    assert "entityIdColumns: [item_id]" in text
    assert "/brands/corner-diner/channelConfigs/lunch" in run("new", "ChannelConfig", "lunch").out
    scenario = run("new", "Scenario", "A test").out
    assert "store: main-street" in scenario
    assert "customer: add Hamburger" in scenario


def test_a_scenario_of_a_workspace_passes(run: Run) -> None:
    run("init")
    run("new", "Scenario", "An order", "-o", "scenarios/order.yaml")
    assert run("test", "-k", "An order").out.endswith("1 scenario: 1 passed\n")


SHOWN = {
    "a sync where there is no store": (
        view("guests"), "Scenario", "It syncs", "sync:  # Sync a view\n      view: guests"
    ),
    "no item that a script would take apart": (
        "kind: Menu\nname: m\nitems: [{name: 'Fish, Chips; Tea'}]\n", "Scenario", "A test", "customer: say hello"
    ),
    "a config of the brand": (
        BRAND, "ChannelConfig", "lunch", "name: projects/p/locations/l/brands/old/channelConfigs/lunch"
    ),
    "a full name": ("", "FeatureView", VIEW_NAME, f"\nname: {VIEW_NAME}"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "name", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_is_filled_in(run: Run, tmp_path: Path, text: str, kind: str, name: str, shown: str) -> None:
    (tmp_path / "there.yaml").write_text(text)
    assert shown in run("new", kind, name).out


def test_a_scenario_is_called_by_a_sentence_and_comments_can_be_left_out(run: Run) -> None:
    text = run("new", "Scenario", "It's one: a #1 burger, yes").out
    assert parse(text.encode(), "a.yaml").documents[0].value["name"] == "It's one: a #1 burger, yes"
    assert "#" not in run("new", "ChannelConfig", "c", "--no-comments").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["FeatureVeiw", "v"],
            'there is no kind "FeatureVeiw"; did you mean "FeatureView"?; choose one of FeatureView, ',
        ),
        (["featureview", "v"], 'there is no kind "featureview"; did you mean "FeatureView"?'),
        (["Menu", " "], "the name is empty; give the document one"),
        (["Menu", "a\nb"], "the name has characters that cannot be printed; leave them out"),
        (["FeatureView", "a/b"], '"a/b" is no name for a FeatureView: '),
        (["Menu", "m", "-o", "menu.txt"], "-o: menu.txt would not be checked; name a file that ends in .yaml"),
        (["Menu", "m", "--from", "gone.yaml"], "--from: gone.yaml cannot be read: no such file or directory"),
        (["Menu", "m", "--from", "x", "--no-comments"], "--no-comments does not go with --from"),
    ],
)
def test_what_is_refused(run: Run, words: list[str], message: str) -> None:
    ran = run("new", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {message}")


def test_nothing_is_overwritten(run: Run, tmp_path: Path) -> None:
    (tmp_path / "menu.yaml").write_text("mine")
    ran = run("new", "Menu", "m", "-o", "menu.yaml")
    assert (ran.code, ran.err) == (2, "error: -o: menu.yaml cannot be written: it already exists; name another file\n")
    assert (tmp_path / "menu.yaml").read_text() == "mine"


def test_no_link_is_written_through(run: Run, tmp_path: Path) -> None:
    (tmp_path / "menu.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    assert run("new", "Menu", "m", "-o", "menu.yaml").code == 2
    assert not os.path.lexists(tmp_path / "elsewhere.yaml")


# ---- copies


MENU = "kind: Menu\nname: {}\nitems: [{{name: Fries}}, {{name: Fries/Large}}]\n"
SYNC = "{{kind: Scenario, name: {}, steps: [{{sync: {{view: v}}}}]}}\n"
SOURCE = "kind: Source\nname: {}\nuri: ''\nfiles: x.csv\n"
TEXT = f"# Mine.\n{view('old')}# The end.\n"
COPIES = {
    "an id": (TEXT, "FeatureView", "new", TEXT.replace("/old\n", "/new\n")),
    "another parent": (view("old"), "FeatureView", VIEW_NAME, view("v")),
    "other things of the name": (MENU.format("Fries"), "Menu", "lunch", MENU.format("lunch")),
    "quotes": (SYNC.format("It syncs"), "Scenario", "It syncs, twice: #2", SYNC.format('"It syncs, twice: #2"')),
    "other mistakes": (SOURCE.format("a"), "Source", "b", SOURCE.format("b")),
}


@pytest.mark.parametrize(("text", "kind", "name", "copy"), COPIES.values(), ids=COPIES)
def test_a_copy_changes_the_name_alone(run: Run, tmp_path: Path, text: str, kind: str, name: str, copy: str) -> None:
    (tmp_path / "original.yaml").write_text(text)
    ran = run("new", kind, name, "--from", "original.yaml")
    assert (ran.code, ran.out) == (0, copy)


def test_names_of_parts_change_along(run: Run, tmp_path: Path) -> None:
    (tmp_path / "brand.yaml").write_text(BRAND)
    assert run("new", "Brand", "new", "--from", "brand.yaml", "-o", "new.yaml").code == 0
    expected = BRAND.replace("brands/old ", "brands/new ").replace("brands/old/stores", "brands/new/stores")
    assert (tmp_path / "new.yaml").read_text() == expected


def test_one_of_several_documents_is_copied(run: Run, tmp_path: Path) -> None:
    menu = "# The menu.\nkind: Menu\nname: m   # short\nitems: [{name: Fries}]\n"
    (tmp_path / "all.yaml").write_text(f"{view('a')}---\n{menu}---\n{view('b')}")
    assert run("new", "Menu", "lunch", "--from", "all.yaml").out == menu.replace("name: m ", "name: lunch ")
    ran = run("new", "FeatureView", "c", "--from", "all.yaml")
    assert ran.code == 2
    assert ran.err == "error: all.yaml has several of kind FeatureView: a, b; name one, as in --from all.yaml#a\n"
    ran = run("new", "FeatureView", "c", "--from", "all.yaml#x")
    assert ran.err == 'error: all.yaml has no FeatureView "x"; it has a, b\n'
    ran = run("new", "Brand", "c", "--from", "all.yaml#x")
    assert ran.err == "error: all.yaml has no Brand; it has FeatureView, Menu\n"
    assert run("new", "FeatureView", "c", "--from", "all.yaml#b").out == view("c")


def test_an_item_of_a_list_is_copied(run: Run, tmp_path: Path) -> None:
    file = ROOT / "fixtures" / "workspaces" / "burger-brand" / "feature-views" / "store-plans.yaml"
    (tmp_path / "plans.yaml").write_bytes(file.read_bytes())
    ran = run("new", "FeatureView", "lunch_prices", "--from", "plans.yaml#menu_prices")
    assert ran.code == 0
    assert ran.out.startswith("kind: FeatureView\nname: projects/smashwell-prod/")
    assert "/featureViews/lunch_prices\nlabels: {team: planning}\n" in ran.out
    assert ran.out.endswith("syncConfig:\n  cron: >-\n    CRON_TZ=America/Toronto\n    30 4 * * 1\n")


def test_json_is_copied_as_json(run: Run, tmp_path: Path) -> None:
    (tmp_path / "menu.json").write_text('{"kind": "Menu", "name": "m", "items": [{"name": "Fries"}]}\n')
    assert run("new", "Menu", "lunch", "--from", "menu.json", "-o", "lunch.yaml").code == 2
    assert run("new", "Menu", "lunch", "--from", "menu.json", "-o", "lunch.json").code == 0
    assert json.loads((tmp_path / "lunch.json").read_text())["name"] == "lunch"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: Menu\nitems: [{name: Fries}]\n", "the Menu has no name"),
        (view(), "has no Menu; it has FeatureView"),
        ("a: [", "cannot be copied: "),
        ("x: &n m\n---\nkind: Menu\nname: m\nitems: [{name: *n}]\n", "cannot be copied"),
    ],
)
def test_what_cannot_be_copied(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "menu.yaml").write_text(text)
    ran = run("new", "Menu", "m2", "--from", "menu.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_a_file_elsewhere_is_copied_where_no_link_leads_to_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text(view())
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "view.yaml").symlink_to(tmp_path / "outside.yaml")
    ran = run("new", "FeatureView", "copy", "--from", "view.yaml", cwd=tmp_path / "shop")
    assert (ran.code, ran.out, "outside of" in ran.err) == (2, "", True)
    assert run("new", "FeatureView", "copy", "--from", "../outside.yaml", cwd=tmp_path / "shop").code == 0


def test_a_file_without_end_is_refused(run: Run, tmp_path: Path) -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
    )
    (tmp_path / "bomb.yaml").write_text(f"kind: Menu\nname: m\n{bomb}")
    ran = run("new", "Menu", "copy", "--from", "bomb.yaml")
    assert ran.code == 2
    assert "cannot be copied" in ran.err
