"""Writing imports: twice is once, edited files stay, and no file is written outside of the folder."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.importers.sound_documents import sound_documents
from tests.program import Ran, Run, write_files
from trialrun.importers.api import api_json
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import ImportedDocument, ImportOptions
from trialrun.importers.run import import_files
from trialrun.importers.write import digest, write_documents
from trialrun.workspace.write_files import replace_files

STORE = "projects/acme/locations/us/featureOnlineStores/kitchen"


def write_views(folder: Path, *ids: str, cron: str = "0 4 * * *") -> None:
    views = [{"name": f"{STORE}/featureViews/{id}", "syncConfig": {"cron": f"CRON_TZ=UTC {cron}"}} for id in ids]
    (folder / "views.json").write_text(json.dumps(views), encoding="utf-8")


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def outcomes(ran: Ran) -> dict[str, str]:
    return {file["path"]: file["outcome"] for file in json.loads(ran.out)["files"]}


def import_json(run: Run, *arguments: str, **options: Any) -> Ran:
    return run("import", "views.json", "--to", "config", "--output-format", "json", *arguments, **options)


def test_importing_twice_changes_nothing_until_the_input_does(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu", "guests")
    assert set(outcomes(import_json(run)).values()) == {"created"}
    before = snapshot(tmp_path)
    assert set(outcomes(import_json(run)).values()) == {"unchanged"}
    assert snapshot(tmp_path) == before
    write_views(tmp_path, "menu", "guests", cron="0 5 * * *")
    assert set(outcomes(import_json(run)).values()) == {"updated"}
    assert "0 5 * * *" in (tmp_path / "config/feature-views/menu.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("changes_upstream", [False, True])
def test_an_edited_file_is_left_alone_and_shown_as_a_diff(run: Run, tmp_path: Path, changes_upstream: bool) -> None:
    write_views(tmp_path, "menu", "guests")
    import_json(run)
    file = tmp_path / "config/feature-views/menu.yaml"
    edited = file.read_text(encoding="utf-8") + "# mine\n"
    file.write_text(edited, encoding="utf-8")
    write_views(tmp_path, "menu", "guests", cron="0 5 * * *" if changes_upstream else "0 4 * * *")
    ran = run("import", "views.json", "--to", "config")
    assert ran.code == 1
    assert "--- a/config/feature-views/menu.yaml\n+++ b/config/feature-views/menu.yaml\n" in ran.out
    assert "\n-# mine\n" in ran.out
    assert file.read_text(encoding="utf-8") == edited
    again = import_json(run)
    assert outcomes(again)["config/feature-views/menu.yaml"] == "left"
    (left,) = (file for file in json.loads(again.out)["files"] if file["outcome"] == "left")
    assert "\n-# mine\n" in left["diff"]


def test_a_diff_cannot_control_the_terminal(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu")
    import_json(run)
    (tmp_path / "config/feature-views/menu.yaml").write_text("\x1b[31m\n::error::x\n##[error]\n", encoding="utf-8")
    out = run("import", "views.json", "--to", "config").out
    assert "\x1b" not in out
    assert "\n::error" not in out and "\n-::error::x" in out


def test_a_file_that_no_import_wrote_is_left_alone(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu")
    file = tmp_path / "config/feature-views/menu.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("mine", encoding="utf-8")
    ran = import_json(run)
    assert (outcomes(ran), ran.code) == ({"config/feature-views/menu.yaml": "left"}, 1)
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_manifest_that_claims_an_edited_file_does_not_make_an_import_overwrite_it(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu")
    import_json(run)
    file, manifest = tmp_path / "config/feature-views/menu.yaml", tmp_path / "config/.trialrun-import.json"
    edited = file.read_bytes().replace(b"0 4 * * *", b"0 9 * * *")
    claimed = manifest.read_text().replace(digest(file.read_bytes()), digest(edited))
    manifest.write_text(claimed)
    file.write_bytes(edited)
    write_views(tmp_path, "menu", cron="0 5 * * *")
    ran = import_json(run)
    (left,) = json.loads(ran.out)["files"]
    assert (left["outcome"], ran.code) == ("left", 1)
    assert left["reason"].endswith("take it over with --trust-manifest")
    assert (file.read_bytes(), manifest.read_text()) == (edited, claimed)


def test_a_clone_of_an_import_is_taken_over_when_the_user_says_so(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu")
    assert run("import", "views.json", "--to", "theirs").code == 0
    (tmp_path / "theirs").rename(tmp_path / "config")
    write_views(tmp_path, "menu", cron="0 5 * * *")
    assert outcomes(import_json(run)) == {"config/feature-views/menu.yaml": "left"}
    assert run("import", "views.json", "--to", "config", "--trust-manifest").code == 0
    write_views(tmp_path, "menu", cron="0 6 * * *")
    assert outcomes(import_json(run)) == {"config/feature-views/menu.yaml": "updated"}


def test_files_that_an_import_finds_as_it_would_write_them_are_its_own(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu")
    assert run("import", "views.json", "--to", "theirs").code == 0
    (tmp_path / "theirs").rename(tmp_path / "config")
    assert outcomes(import_json(run)) == {"config/feature-views/menu.yaml": "unchanged"}
    write_views(tmp_path, "menu", cron="0 5 * * *")
    assert outcomes(import_json(run)) == {"config/feature-views/menu.yaml": "updated"}
    (tmp_path / "config/feature-views/menu.yaml").unlink()
    assert outcomes(import_json(run)) == {"config/feature-views/menu.yaml": "created"}


def test_ids_that_differ_in_case_get_numbers_in_any_order(run: Run, tmp_path: Path) -> None:
    paths = {"config/feature-views/MENU.yaml", "config/feature-views/Menu-2.yaml", "config/feature-views/menu-3.yaml"}
    for order in (("menu", "Menu", "MENU"), ("MENU", "menu", "Menu")):
        write_views(tmp_path, *order)
        assert set(outcomes(import_json(run))) == paths


def test_a_resource_keeps_its_file_when_others_are_added(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu")
    import_json(run)
    write_views(tmp_path, "menu", "MENU")
    found = json.loads(import_json(run).out)["files"]
    assert {file["resource"].rpartition("/")[2]: file["path"] for file in found} == {
        "menu": "config/feature-views/menu.yaml",
        "MENU": "config/feature-views/MENU-2.yaml",
    }


def test_a_file_of_another_case_is_not_joined_by_one_that_differs_in_case_alone(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu")
    write_files(tmp_path, {"config/feature-views/MENU.yaml": "mine"})
    assert outcomes(import_json(run)) == {"config/feature-views/menu-2.yaml": "created"}


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("..", "unnamed"),
        ("../../x", "x"),
        ("..\\..\\x", "x"),
        (".git", "git"),
        ("C:x", "C-x"),
        ("con", "_con"),
        ("NUL.txt", "_NUL.txt"),
        ("com1", "_com1"),
        ("a b\x00c\nd", "a-b-c-d"),
        ("naïve", "na-ve"),
        ("🍔", "unnamed"),
        ("x" * 500, "x" * 80),
        ("trailing. ", "trailing"),
        ("-rf", "rf"),
    ],
)
def test_a_file_name_has_allowed_characters_alone(run: Run, tmp_path: Path, id: str, name: str) -> None:
    write_views(tmp_path, id)
    assert list(outcomes(import_json(run))) == [f"config/feature-views/{name}.yaml"]
    assert {path.name for path in tmp_path.iterdir()} <= {"views.json", "config", "cache", "home", ".cache"}


def test_links_inside_of_the_folder_are_not_followed(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu", "guests")
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "config/feature-views").mkdir(parents=True)
    (outside / "menu.yaml").write_text("theirs", encoding="utf-8")
    (tmp_path / "config/feature-views/menu.yaml").symlink_to(outside / "menu.yaml")
    (tmp_path / "config/feature-views/guests.yaml").symlink_to(outside / "guests.yaml")
    ran = import_json(run)
    assert (set(outcomes(ran).values()), ran.code) == ({"left"}, 1)
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("menu.yaml", "theirs")]


def test_a_folder_that_is_a_link_is_not_followed(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu")
    (tmp_path / "outside").mkdir()
    (tmp_path / "config").mkdir()
    (tmp_path / "config/feature-views").symlink_to(tmp_path / "outside", target_is_directory=True)
    ran = run("import", "views.json", "--to", "config")
    assert ran.code == 1
    assert "feature-views is a link, which an import does not follow" in ran.out
    assert os.listdir(tmp_path / "outside") == []


def test_what_is_no_regular_file_is_left_alone_with_the_reason(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu")
    (tmp_path / "config/feature-views/menu.yaml").mkdir(parents=True)
    (left,) = json.loads(import_json(run).out)["files"]
    assert (left["outcome"], left["reason"]) == ("left", "menu.yaml is not a file")
    write_files(tmp_path, {"other/feature-views": "mine"})
    assert ": feature-views is not a folder\n" in run("import", "views.json", "--to", "other").out


@pytest.mark.parametrize(
    "manifest", ["", "[]", '{"version": 2, "files": {}}', '{"version": 1, "files": []}', "[" * 5000, "\x00"]
)
def test_a_broken_manifest_is_an_error_that_says_what_to_do(run: Run, tmp_path: Path, manifest: str) -> None:
    write_views(tmp_path, "menu")
    write_files(tmp_path, {"config/.trialrun-import.json": manifest})
    ran = import_json(run)
    assert ran.code == 2
    assert "is not a manifest of imports; remove it" in ran.err
    assert not (tmp_path / "config/feature-views").exists()


def test_a_manifest_never_leads_out_of_the_folder(run: Run, tmp_path: Path) -> None:
    write_views(tmp_path, "menu")
    (tmp_path / "config").mkdir()
    resource = f"FeatureView {STORE}/featureViews/menu"
    files = {
        path: {"resource": resource, "digest": "sha256:0"} for path in ("../x.yaml", "/tmp/x.yaml", "a/../../x.yaml")
    }
    (tmp_path / "config/.trialrun-import.json").write_text(json.dumps({"version": 1, "files": files}))
    assert outcomes(import_json(run)) == {"config/feature-views/menu.yaml": "created"}


@given(st.data())
def test_any_documents_are_written_once(data: st.DataObject) -> None:
    values = [data.draw(sound_documents(kind)) for kind in ("FeatureView", "ChannelConfig", "FeatureView")]
    text = json.dumps(api_json([(value["kind"], value) for value in values], "vendor"))
    imported = import_files([InputFile("views.json", text.encode())], None, ImportOptions())
    with TemporaryDirectory() as folder:
        first = write_documents(imported.documents, folder)
        assert {file.outcome for file in first} == {"created"}
        assert {file.outcome for file in write_documents(imported.documents, folder)} == {"unchanged"}
        assert {file.path for file in write_documents(imported.documents[::-1], folder)} == {
            file.path for file in first
        }


def views(*ids: str, cron: str) -> list[ImportedDocument]:
    values = [{"name": f"{STORE}/featureViews/{id}", "syncConfig": {"cron": f"CRON_TZ=UTC {cron}"}} for id in ids]
    file = InputFile("views.json", json.dumps(values).encode())
    return list(import_files([file], None, ImportOptions()).documents)


class Killed(BaseException):
    """Ends an import as `kill -9` does: nothing catches it."""


def test_an_import_that_is_killed_leaves_no_file_that_the_next_one_takes_for_an_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = ("menu", "guests", "hours", "mine")
    write_documents(views(*ids, cron="0 4 * * *"), str(tmp_path))
    rename, renamed = os.replace, []

    def kill_at_third_file(source: str, target: str) -> None:
        renamed.extend([target] if target.endswith(".yaml") else [])
        if len(renamed) == 3:
            raise Killed
        rename(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", kill_at_third_file)
        with pytest.raises(Killed):
            write_documents(views("new", *ids, cron="0 5 * * *"), str(tmp_path))
    edited = tmp_path / "feature-views/mine.yaml"
    edited.write_text(edited.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    files = write_documents(views("new", *ids, cron="0 6 * * *"), str(tmp_path))
    assert {file.path.partition("/")[2]: file.outcome for file in files if file.outcome != "updated"} == {
        "mine.yaml": "left",
        "new.yaml": "created",
    }
    assert edited.read_text(encoding="utf-8").endswith("# mine\n")
    entries = json.loads((tmp_path / ".trialrun-import.json").read_text(encoding="utf-8"))["files"]
    assert [path for path, entry in entries.items() if "pending" in entry] == ["feature-views/mine.yaml"]


@pytest.mark.parametrize("existed", [False, True])
def test_a_file_that_somebody_saves_during_an_import_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existed: bool
) -> None:
    if existed:
        write_documents(views("menu", cron="0 4 * * *"), str(tmp_path))
    file = tmp_path / "feature-views/menu.yaml"

    def save_first(contents: Any, is_unchanged: Any) -> set[str]:
        file.write_text("mine", encoding="utf-8")
        return replace_files(contents, is_unchanged)

    monkeypatch.setattr("trialrun.importers.write.replace_files", save_first)
    (written,) = write_documents(views("menu", cron="0 5 * * *"), str(tmp_path))
    assert (written.outcome, written.reason) == ("left", "it has changed since it was read")
    assert file.read_text(encoding="utf-8") == "mine"
    monkeypatch.undo()
    (again,) = write_documents(views("menu", cron="0 5 * * *"), str(tmp_path))
    assert again.outcome == "left"


def test_what_another_import_writes_meanwhile_stays_in_the_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def import_others_first(contents: Any, is_unchanged: Any) -> set[str]:
        monkeypatch.undo()
        write_documents(views("guests", cron="0 4 * * *"), str(tmp_path))
        return replace_files(contents, is_unchanged)

    monkeypatch.setattr("trialrun.importers.write.replace_files", import_others_first)
    write_documents(views("menu", cron="0 4 * * *"), str(tmp_path))
    files = write_documents(views("guests", "menu", cron="0 5 * * *"), str(tmp_path))
    assert [file.outcome for file in files] == ["updated", "updated"]
