"""`trialrun export yaml --store`: what clients of a server created or changed, as files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import Run
from tests.server.server_process import write_workspace
from tests.server.test_reload import COPY, HERE, LUNCH, Served, begin, journal  # noqa: F401 - fixtures
from tests.service.service_fixture import RIDERS, SERVING, SOURCE
from tests.service.service_fixture import run as run_operation
from trialrun.service.channel_config import messages as of_configs
from trialrun.service.feature_view import messages as m
from trialrun.service.journal_file import open_journal
from trialrun.workspace.dry_run import open_store_folder

BRAND = {"kind": "Brand", "name": HERE, "stores": [{"name": "austin"}]}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def served_changes(folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What clients do: create a view and a store, patch another view, and delete what they created."""
    monkeypatch.chdir(folder)
    (folder / "configs.yaml").write_text(json.dumps(BRAND))
    place = open_store_folder(str(folder), store)
    with open_journal(place.path, place.guard) as opened:
        served = Served(folder, opened)
        views, configs = served.services.feature_views, served.services.channel_configs
        for id_ in ("copy", "gone"):
            content = {"warehouseSource": SOURCE, "labels": {"b": "2", "a": "1"}}
            request = m.CreateFeatureViewRequest(parent=SERVING, featureViewId=id_, featureView=content)
            run_operation(views.create(request))
        run_operation(views.delete(m.DeleteFeatureViewRequest(name=f"{SERVING}/featureViews/gone")))
        served.patch(labels={"team": "client"})
        run_operation(configs.create_store(of_configs.CreateStoreRequest(parent=HERE, storeId="kiosk", store={})))


@pytest.fixture
def folder(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = write_workspace(tmp_path / "workspace")
    served_changes(made, store, monkeypatch)
    return made


def test_what_clients_did_is_printed(folder: Path, store: Path, run: Run) -> None:
    ran = run("export", "yaml", "--store", str(store))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        f'kind: FeatureView\nname: {COPY}\nlabels:\n  a: "1"\n  b: "2"\nwarehouseSource:\n'
        f"  uri: {SOURCE['uri']}\n  entityIdColumns:\n    - rider_id\n"
        f"---\nkind: FeatureView\nname: {RIDERS}\nlabels:\n  team: client\nwarehouseSource:\n"
        f"  uri: {SOURCE['uri']}\n  entityIdColumns:\n    - rider_id\n"
        f"---\nkind: Brand\nname: {HERE}\nstores:\n  - name: {HERE}/stores/austin\n  - name: {HERE}/stores/kiosk\n"
    )


def test_files_are_written_and_left_alone_where_they_were_edited(folder: Path, store: Path, run: Run) -> None:
    export = ("export", "yaml", "--store", str(store), "--to", "exported")
    ran = run(*export)
    assert (ran.code, ran.out.splitlines()[:2]) == (
        0,
        ["written exported/brands/acme.yaml", "written exported/feature-views/copy.yaml"],
    )
    file = folder.parent / "exported" / "feature-views" / "copy.yaml"
    assert "unchanged exported/feature-views/copy.yaml" in run(*export).out
    file.write_text(f"# mine\n{file.read_text()}")
    ran = run(*export)
    assert (ran.code, "copy.yaml is left alone: it was edited" in ran.err) == (1, True)
    assert file.read_text().startswith("# mine\n")


def test_what_is_exported_into_the_workspace_is_the_same_resource(
    folder: Path, store: Path, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("export", "yaml", "--store", str(store), "--to", "workspace").code == 0
    place = open_store_folder(str(folder), store)
    with open_journal(place.path, place.guard) as opened:
        before = dict(opened.read("FeatureView"))[COPY]
        served = Served(folder, opened)
        after = dict(opened.read("FeatureView"))[COPY]
        assert served.view(COPY).labels == {"a": "1", "b": "2"}
    assert {**after, "document": ""} == before
    assert COPY not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "there"), "--to needs --store"),
        (("--store", "empty", "views.yaml"), "--store has resources of its own; remove the paths"),
        (("--store", "empty"), "empty has nothing of a server"),
    ],
)
def test_what_cannot_be_exported(folder: Path, run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run("export", "yaml", *arguments)
    assert (ran.code, ran.out, message in ran.err) == (2, "", True)


def test_a_store_that_a_repository_brings_is_refused(folder: Path, run: Run) -> None:
    (folder.parent / "other").mkdir()
    (folder.parent / "other" / "server.db").write_bytes(b"SQLite format 3\0")
    ran = run("export", "yaml", "--store", "other")
    assert (ran.code, "was created by another user, in another place" in ran.err) == (2, True)
