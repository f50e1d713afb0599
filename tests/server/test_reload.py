"""Files stay the truth: what is taken over while a server runs, and what clients changed as files."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.program import Run
from tests.server.server_process import RunningServer, connect_client, start_server, write_workspace
from tests.service.service_fixture import DOCUMENTS, NOON, RIDERS, SERVING, SOURCE, run
from tests.service.service_fixture import run as run_operation
from trialrun.cli.workspace_options import request_and_options
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view.trial_run import StoreLocations
from trialrun.server.monitoring import RequestLog
from trialrun.server.reload import Reloader, ServedWorkspace
from trialrun.server.start import build_services
from trialrun.service.channel_config import messages as of_configs
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import messages as m
from trialrun.service.journal import Journal
from trialrun.service.journal_file import open_journal
from trialrun.service.listing import GetRequest
from trialrun.workspace import file_changes
from trialrun.workspace.dry_run import open_store_folder

COPY = f"{SERVING}/featureViews/copy"
HERE = "projects/food/locations/us/brands/acme"
LUNCH = f"{HERE}/channelConfigs/lunch"
CONFIG = {"kind": "ChannelConfig", "name": LUNCH, "type": "AGENT_CUSTOMIZATION", "displayName": "Lunch"}
BRAND = {"kind": "Brand", "name": HERE, "stores": [{"name": "austin"}]}


class Served:
    """The services over a folder, whose files are looked at when a test says so."""

    def __init__(self, folder: Path, journal: Journal) -> None:
        self.folder = folder
        workspace = self._workspace()
        self.reloader = Reloader(workspace, self._workspace, RequestLog())
        documents = self.reloader.documents
        self.services = build_services(workspace, documents, journal, StoreLocations(), FixedClock(NOON))
        self.reloader.serve(self.services)

    def _workspace(self) -> ServedWorkspace:
        return ServedWorkspace(*request_and_options({"isolated": False}))

    def write(self, documents: list[dict[str, Any]], name: str = "views.yaml") -> None:
        """Save a file, and look."""
        (self.folder / name).write_text("".join(f"---\n{json.dumps(document)}\n" for document in documents))
        assert self.reloader.look()

    def view(self, name: str = RIDERS) -> Any:
        """A view as it is served; None where there is none."""
        try:
            return run(self.services.feature_views.get(GetRequest(name=name)))
        except ServiceError as error:
            assert error.status.name == "NOT_FOUND"
            return None

    def patch(self, **fields: Any) -> None:
        """Patch the view of riders."""
        run(self.services.feature_views.patch(m.PatchFeatureViewRequest(featureView={"name": RIDERS, **fields})))


@pytest.fixture
def journal() -> Journal:
    return Journal()


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: Journal) -> Iterator[Callable[[], Served]]:
    folder = write_workspace(tmp_path / "workspace")
    (folder / "configs.yaml").write_text(json.dumps(CONFIG))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(file_changes, "SETTLE_TIME", 0.0)
    yield lambda: Served(folder, journal)


@pytest.fixture
def served(begin: Callable[[], Served]) -> Served:
    return begin()


def riders(**fields: Any) -> list[dict[str, Any]]:
    return [document if document.get("name") != RIDERS else {**document, **fields} for document in DOCUMENTS]


def test_files_that_did_not_change_are_left_alone(served: Served) -> None:
    assert not served.reloader.look()


def test_a_saved_document_is_taken_over(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    before = served.view()
    served.write(riders(labels={"team": "file"}))
    assert served.view().labels == {"team": "file"}
    assert (served.view().createTime, served.view().etag != before.etag) == (before.createTime, True)
    assert "note: files have changed: 1 taken over" in capsys.readouterr().err


def test_a_new_file_and_a_removed_one(served: Served) -> None:
    served.write([{"kind": "FeatureView", "name": COPY, "warehouseSource": SOURCE}], "copy.yaml")
    assert served.view(COPY) is not None
    (served.folder / "copy.yaml").unlink()
    assert served.reloader.look()
    assert served.view(COPY) is None


def test_a_document_with_errors_is_refused_and_the_old_one_goes_on(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    served.write(riders(syncConfig={"cron": "0 25 * * *"}, labels={"team": "new"}))
    assert served.view().labels == {"team": "search"}
    assert "views.yaml:10:" in (log := capsys.readouterr().err)
    assert "error cron-syntax" in log
    assert "the document is not taken over" in log
    served.write(riders(labels={"team": "good"}))
    assert served.view().labels == {"team": "good"}


def test_the_other_documents_of_a_broken_file_are_taken_over(served: Served) -> None:
    copy = {"kind": "FeatureView", "name": COPY, "warehouseSource": SOURCE}
    served.write([*riders(syncConfig={"cron": "0 25 * * *"}), copy])
    assert (served.view(COPY) is not None, served.view().syncConfig) == (True, None)


@pytest.mark.parametrize("text", ["", "kind: [", "\0", "- {", "kind: FeatureView\nname: {{ .Values.name }}\n"])
def test_a_file_that_cannot_be_read_takes_nothing_with_it(served: Served, text: str) -> None:
    (served.folder / "views.yaml").write_text(text)
    served.reloader.look()
    assert (served.view() is None) == (text == "")  # an empty file declares nothing


def test_a_document_that_is_renamed_and_broken_keeps_the_old_one(served: Served) -> None:
    served.write(riders(name=COPY, syncConfig={"cron": "0 25 * * *"}))
    assert (served.view() is not None, served.view(COPY)) == (True, None)
    served.write(riders(name=COPY))
    assert (served.view(), served.view(COPY) is not None) == (None, True)


def test_errors_are_reported_once(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    served.write(riders(syncConfig={"cron": "0 25 * * *"}))
    assert "cron-syntax" in capsys.readouterr().err
    served.write([{**CONFIG, "displayName": "Noon"}], "configs.yaml")
    assert "cron-syntax" not in capsys.readouterr().err


def test_a_server_that_begins_with_a_broken_file_has_what_it_had_before(
    begin: Callable[[], Served], capsys: pytest.CaptureFixture[str]
) -> None:
    first = begin()
    first.patch(labels={"team": "client"})
    (first.folder / "views.yaml").write_text("kind: FeatureView\nname: [\n")
    again = begin()
    assert again.view().labels == {"team": "client"}
    assert "syntax-error" in capsys.readouterr().err
    again.write(riders())
    assert again.view().labels == {"team": "client"}
    again.write([document for document in DOCUMENTS if document.get("name") != RIDERS])
    assert again.view() is None


def test_what_a_client_changed_holds_until_its_document_changes(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    served.patch(labels={"team": "client"})
    served.write([*riders(), {"kind": "FeatureView", "name": COPY, "warehouseSource": SOURCE}])
    assert served.view().labels == {"team": "client"}
    served.write(riders(labels={"team": "file"}))
    assert served.view().labels == {"team": "file"}
    assert f"note: {RIDERS}: its document has changed, and counts instead of what a client" in capsys.readouterr().err


def test_changes_while_no_server_ran_are_told(begin: Callable[[], Served], capsys: pytest.CaptureFixture[str]) -> None:
    first = begin()
    first.patch(labels={"team": "client"})
    (first.folder / "views.yaml").write_text("".join(f"---\n{json.dumps(one)}\n" for one in riders(labels={})))
    begin()
    assert f"{RIDERS}: its document has changed" in capsys.readouterr().err


def test_a_view_serves_its_old_values_until_its_next_sync(served: Served) -> None:
    views = served.services.feature_views
    run(views.sync(m.SyncFeatureViewRequest(featureView=RIDERS)))
    fetch = m.FetchFeatureValuesRequest(featureView=RIDERS, dataKey={"key": "ana"})
    before = run(views.fetch_feature_values(fetch))
    served.write(riders(warehouseSource={"uri": "bq://acme.serving.menu", "entityIdColumns": ["dish"]}))
    assert run(views.fetch_feature_values(fetch)) == before
    run(views.sync(m.SyncFeatureViewRequest(featureView=RIDERS)))
    with pytest.raises(ServiceError):
        run(views.fetch_feature_values(fetch))


def test_settings_are_taken_over_and_wrong_ones_refused(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    settings = served.folder / "trialrun.toml"
    with pytest.raises(ServiceError):
        served.patch(syncConfig={"cron": "0 25 * * *"})
    settings.write_text('ignore = ["cron-syntax"]')
    served.reloader.look()
    served.patch(syncConfig={"cron": "0 25 * * *"})
    settings.write_text('ignore = ["cron-sintax"]')
    served.reloader.look()
    assert "the settings before go on" in capsys.readouterr().err
    served.patch(syncConfig={"cron": "0 26 * * *"})
    settings.unlink()
    served.reloader.look()
    with pytest.raises(ServiceError):
        served.patch(syncConfig={"cron": "0 27 * * *"})


def test_a_file_that_changes_while_it_is_read_is_read_again(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = iter([riders(labels={"team": "second"})])
    reopen = served._workspace

    def interfering() -> ServedWorkspace:
        for documents in texts:
            (served.folder / "views.yaml").write_text("".join(f"---\n{json.dumps(one)}\n" for one in documents))
        return reopen()

    monkeypatch.setattr(served.reloader, "_reopen", interfering)
    served.write(riders(labels={"team": "first"}))
    assert served.view().labels == {"team": "second"}


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def view_by_http(server: RunningServer) -> dict[str, Any]:
    found: dict[str, Any] = server.send("GET", f"/v1/{RIDERS}").json()
    return found


def test_a_server_follows_its_files_and_tells_their_findings(tmp_path: Path) -> None:
    folder = write_workspace(tmp_path / "workspace")
    with start_server(folder) as server:
        write(folder, riders(labels={"team": "file"}))
        wait_until(lambda: view_by_http(server)["labels"] == {"team": "file"})
        write(folder, riders(syncConfig={"cron": "0 25 * * *"}))
        wait_until(lambda: "cron-syntax" in server.send("GET", "/trialrun/v1/findings").text)
        wait_until(lambda: "error cron-syntax" in server.log)
        assert view_by_http(server)["labels"] == {"team": "file"}


def write(folder: Path, documents: list[dict[str, Any]]) -> None:
    (folder / "views.yaml").write_text("".join(f"---\n{json.dumps(document)}\n" for document in documents))


@pytest.mark.exhaustive
@pytest.mark.parametrize("changes", first_of([1, 5]))
def test_each_request_sees_the_files_of_one_moment(tmp_path: Path, changes: int) -> None:
    """Two views whose documents are saved together always have the same label, whoever asks and whenever."""
    folder = write_workspace(tmp_path / "workspace")
    copy = {"kind": "FeatureView", "name": COPY, "warehouseSource": SOURCE}

    def state(number: int) -> list[dict[str, Any]]:
        labels = {"labels": {"n": str(number)}}
        return [*riders(**labels), {**copy, **labels}]

    write(folder, state(0))
    with start_server(folder) as server:
        seen: list[set[str]] = []
        stop = threading.Event()
        threads = [threading.Thread(target=list_labels, args=(server.http, seen, stop)) for _ in range(3)]
        for thread in threads:
            thread.start()
        wait_until(lambda: {"0"} in seen)
        for number in range(1, 1 + changes):
            write(folder, state(number))
            wait_until(lambda number=number: view_by_http(server)["labels"] == {"n": str(number)})
            wait_until(lambda number=number: {str(number)} in seen)
        stop.set()
        for thread in threads:
            thread.join()
    assert len(seen) > 10 * changes
    assert [labels for labels in seen if len(labels) != 1] == []
    assert {label for labels in seen for label in labels} == {str(number) for number in range(1 + changes)}


def list_labels(address: str, seen: list[set[str]], stop: threading.Event) -> None:
    with connect_client(address) as client:
        while not stop.wait(0.005):
            answer = client.get(f"/v1/{SERVING}/featureViews")
            seen.append({view["labels"]["n"] for view in answer.raise_for_status().json()["featureViews"]})


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def served_changes(folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What clients do: create a view and a config, patch another view, and delete what they created."""
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
        content = {"type": "AGENT_CUSTOMIZATION"}
        create = of_configs.CreateChannelConfigRequest(parent=HERE, channelConfigId="kiosk", channelConfig=content)
        run_operation(configs.create(create))


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
        f"---\nkind: ChannelConfig\nname: {HERE}/channelConfigs/kiosk\ntype: AGENT_CUSTOMIZATION\n"
    )


def test_files_are_written_and_left_alone_where_they_were_edited(folder: Path, store: Path, run: Run) -> None:
    export = ("export", "yaml", "--store", str(store), "--to", "exported")
    ran = run(*export)
    assert (ran.code, ran.out.splitlines()[:2]) == (
        0,
        ["written exported/channel-configs/kiosk.yaml", "written exported/feature-views/copy.yaml"],
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
