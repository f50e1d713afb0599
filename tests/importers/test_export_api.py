"""Exports are the JSON of the API, and importing one gives the same document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.cli.example_workspace import EXAMPLE
from tests.model.shapes import message_of
from tests.program import Run
from trialrun.fix.canonical_yaml import canonical_yaml
from trialrun.importers.export_api import EXPORTED_KINDS, api_json
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import ImportOptions
from trialrun.importers.run import import_files
from trialrun.model.canonical import canonical_form
from trialrun.model.kinds import model_of
from trialrun.model.node import fields_of_mode
from trialrun.model.validate import validate

NAMES = {
    "FeatureView": "projects/acme/locations/us/featureOnlineStores/s/featureViews/",
    "ChannelConfig": "projects/acme/locations/us/brands/b/channelConfigs/",
    "FeatureOnlineStore": "projects/acme/locations/us/featureOnlineStores/",
}
VALID = Path(__file__).parent.parent.parent / "fixtures" / "valid"


def documents(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """Sound documents of a kind in canonical form: the model accepts all of them, and the service sets nothing."""
    model = model_of(kind)

    def sound(value: dict[str, Any], id: str) -> dict[str, Any]:
        named = {key: part for key, part in value.items() if key not in fields_of_mode(model, "output only")}
        named["name"] = NAMES[kind] + id
        assume(not validate(named, model).misfits)
        return {"kind": kind, **canonical_form(named, model).value}

    return st.builds(sound, message_of(model), st.sampled_from(["a", "b", "A", "..", "ünïcode", "x y"]))


@pytest.mark.parametrize("dialect", ["specification", "vendor"])
@pytest.mark.parametrize("kind", EXPORTED_KINDS)
@given(st.data())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_an_import_of_an_export_is_the_same(kind: str, dialect: Any, data: st.DataObject) -> None:
    value = data.draw(documents(kind))
    text = json.dumps(api_json([(kind, value)], dialect))
    imported = import_files([InputFile("export.json", text.encode())], None, ImportOptions())
    assert [document.value for document in imported.documents] == [value]
    assert imported.notes == []


@given(st.data())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_an_import_of_an_export_of_several_is_the_same(data: st.DataObject) -> None:
    pairs = [(kind, data.draw(documents(kind))) for kind in EXPORTED_KINDS for _ in range(2)]
    assume(len({(kind, value["name"]) for kind, value in pairs}) == len(pairs))
    text = json.dumps(api_json(pairs, "vendor"))
    imported = import_files([InputFile("export.json", text.encode())], None, ImportOptions())
    assert sorted(map(canonical_yaml, (d.value for d in imported.documents))) == sorted(
        canonical_yaml(v) for _, v in pairs
    )


def test_the_documents_of_the_example_workspace_survive_the_round_trip(run: Run, tmp_path: Path) -> None:
    exported = run("export", "api", str(EXAMPLE / "channels"), str(EXAMPLE / "feature-views"), "--dialect", "vendor")
    assert exported.code == 0, exported.err
    (tmp_path / "all.json").write_text(exported.out, encoding="utf-8")
    assert run("import", "all.json", "--to", "config").err == ""
    again = run("export", "api", "config", "--dialect", "vendor")
    assert by_name(again.out) == by_name(exported.out)


def by_name(output: str) -> dict[str, Any]:
    return {resource["name"]: resource for resources in json.loads(output).values() for resource in resources}


@pytest.mark.parametrize("file", ["view-every-field.yaml", "config-upsells-every-field.yaml", "list-of-both.json"])
def test_valid_fixtures_are_exported(run: Run, file: str) -> None:
    ran = run("export", "api", str(VALID / file))
    assert (ran.code, ran.err) == (0, "")


def test_the_vendor_spells_three_fields_in_its_own_way(run: Run, tmp_path: Path) -> None:
    text = f"name: {NAMES['FeatureView']}a\nwarehouseSource: {{uri: 'bq://a.b.c', entityIdColumns: [id]}}\n"
    (tmp_path / "view.yaml").write_text(text, encoding="utf-8")
    source = {"uri": "bq://a.b.c", "entityIdColumns": ["id"]}
    assert json.loads(run("export", "api", "view.yaml").out)["warehouseSource"] == source
    assert json.loads(run("export", "api", "view.yaml", "--dialect", "vendor").out)["bigQuerySource"] == source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: FeatureView\nname: a\nsyncConfig: daily\n", "error: a.yaml: /syncConfig does not fit a FeatureView\n"),
        (
            "kind: FeatureView\nname: a\nindexConfig: {distanceMeasureType: L3}\n",
            "/indexConfig/distanceMeasureType does not fit",
        ),
        ("kind: FeatureView\nname: [a\nlabels: {}\n", "error: a.yaml cannot be read as a whole; run trialrun check\n"),
    ],
)
def test_a_broken_document_is_not_exported(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    ran = run("export", "api", "a.yaml")
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err


def test_other_kinds_are_named_and_left_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"kind: Brand\nname: b\n---\nkind: FeatureView\nname: {NAMES['FeatureView']}a\n")
    ran = run("export", "api", "a.yaml")
    assert (ran.code, json.loads(ran.out)) == (0, {"name": f"{NAMES['FeatureView']}a"})
    assert ran.err == "note: not exported: Brand, which the API does not have in this form\n"
    (tmp_path / "a.yaml").write_text("kind: Brand\nname: b\n")
    assert run("export", "api", "a.yaml").code == 2
