"""Exports are the JSON of the API, and importing one gives the same document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.example_workspace import EXAMPLE
from tests.importers.sound_documents import NAMES, sound_documents
from tests.program import Run
from trialrun.importers.api import EXPORTED_KINDS, api_json
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import ImportOptions
from trialrun.importers.run import import_files
from trialrun.parser import parse

VALID = Path(__file__).parent.parent.parent / "fixtures" / "valid"


@pytest.mark.parametrize("dialect", ["specification", "vendor"])
@pytest.mark.parametrize("kind", EXPORTED_KINDS)
@given(st.data())
def test_an_import_of_an_export_is_the_same(kind: str, dialect: Any, data: st.DataObject) -> None:
    value = data.draw(sound_documents(kind))
    text = json.dumps(api_json([(kind, value)], dialect))
    imported = import_files([InputFile("export.json", text.encode())], None, ImportOptions())
    assert [document.value for document in imported.documents] == [value]
    assert imported.notes == []


@given(st.data())
def test_an_import_of_an_export_of_several_is_the_same(data: st.DataObject) -> None:
    values = [data.draw(sound_documents(kind)) for kind in EXPORTED_KINDS for _ in range(2)]
    by_key = {(value["kind"], value["name"]): value for value in values}
    text = json.dumps(api_json([(kind, value) for (kind, _), value in by_key.items()], "vendor"))
    imported = import_files([InputFile("export.json", text.encode())], None, ImportOptions())
    assert {(document.kind, document.resource): document.value for document in imported.documents} == by_key


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


def test_yaml_is_canonical_and_stays_so(run: Run, tmp_path: Path) -> None:
    text = (
        "modifierGroups: []\nitems:\n- {price: 4.0, name: Fries}\nname: m\nkind: Menu\n---\n"
        f"sync_config: {{continuous: true}}\nname: {NAMES['FeatureView']}a  # gone\n"
    )
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    canonical = (
        "kind: Menu\nname: m\nitems:\n  - name: Fries\n    price: 4\nmodifierGroups: []\n---\n"
        f"kind: FeatureView\nname: {NAMES['FeatureView']}a\nsyncConfig:\n  continuous: true\n"
    )
    assert run("export", "yaml", "a.yaml").out == canonical
    (tmp_path / "a.yaml").write_text(canonical, encoding="utf-8")
    assert run("export", "yaml").out == canonical


def test_the_example_workspace_is_exported_as_yaml(run: Run) -> None:
    folders = [str(EXAMPLE / folder) for folder in ("brand", "channels", "feature-store", "feature-views", "scenarios")]
    ran = run("export", "yaml", *folders)
    assert (ran.code, ran.err) == (0, "")
    assert parse(ran.out.encode(), "all.yaml").errors == []
