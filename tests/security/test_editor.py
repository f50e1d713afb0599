"""A hostile repository is opened in an editor: nothing of it is run, and nothing outside of it is shown or listed."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import some_of
from tests.lsp.analysis.test_folder_analysis import AnalysisHarness
from tests.program import view
from tests.security.conftest import SECRET, Canary, git
from tests.security.test_commands_of_git import CONFIGURATIONS, configure, hostile
from trialrun import guarded_path
from trialrun.lsp.analysis.options import Options
from trialrun.lsp.features.completion.values import paths
from trialrun.lsp.features.navigation import file_references
from trialrun.lsp.server.text_documents import TextDocuments
from trialrun.working_folder import forget_folder

__all__ = ["hostile"]
SOURCE = "kind: Source\nuri: bq://p.d.t\nfiles: {files}\n"
SLOWEST = 10.0


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TRIALRUN_CACHE_DIR", str(tmp_path / "cache"))
    yield
    guarded_path.forget_allowed()
    forget_folder()


def opened(folder: Path, *names: str) -> AnalysisHarness:
    """What an editor is told of files that are opened, once there is nothing left to do."""
    harness = AnalysisHarness(folder, Options())
    for number, name in enumerate(names, 1):
        harness.put(name, (folder / name).read_bytes(), number)
    harness.changed("trialrun.toml", ".git/config")
    end = time.monotonic() + SLOWEST
    while harness.server.run_next_task() == 0.0:
        assert time.monotonic() < end
    return harness


@pytest.mark.parametrize("name", some_of(CONFIGURATIONS))
def test_opening_a_file_runs_nothing(
    hostile: Path, canary: Canary, outside: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    configure(hostile, CONFIGURATIONS[name], canary, outside)
    for folder in (hostile, hostile / "bare"):
        monkeypatch.chdir(folder)
        file = "a.yaml" if folder == hostile else "b.yaml"
        assert [told[0] for told in opened(folder, file).published][:1] == [str(folder / file)]


@pytest.fixture
def workspace(tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with links that lead out of it."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "trialrun.toml").write_text("")
    (folder / "away").symlink_to(outside)
    (folder / "linked.yaml").symlink_to(outside / "secret.yaml")
    (folder / "v.yaml").write_text(view())
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("files", ["../outside/*.csv", "away/*.csv", "{outside}/secret.csv", "/proc/self/environ"])
def test_nothing_outside_is_shown(workspace: Path, outside: Path, files: str) -> None:
    (workspace / "s.yaml").write_text(SOURCE.format(files=files.format(outside=outside)))
    harness = opened(workspace, "s.yaml", "v.yaml")
    assert SECRET not in repr([harness.published, harness.shown])


@pytest.mark.parametrize("written", ["../", "../outside/", "away/", "/etc/", "~/"])
def test_no_folder_outside_is_listed(workspace: Path, written: str) -> None:
    assert list(paths(str(workspace), written)) == []


def test_the_folders_inside_are_listed(workspace: Path) -> None:
    assert ("v.yaml", "a file") in list(paths(str(workspace), ""))


@pytest.mark.parametrize("files", ["../outside/*.csv", "away/*.csv", "{outside}/secret.csv", "v.yaml"])
def test_no_file_outside_is_led_to(workspace: Path, outside: Path, files: str) -> None:
    from datetime import UTC, datetime

    from trialrun.lint.settings import Profiles, Settings
    from trialrun.workspace import CheckRequest
    from trialrun.workspace.open_workspace import OpenWorkspace

    named = files.format(outside=outside)
    text = SOURCE.format(files=named)
    (workspace / "s.yaml").write_text(text)
    live = OpenWorkspace(
        CheckRequest(str(workspace), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False)
    )
    reading = live.workspace_file("s.yaml")
    assert reading is not None
    found = [path for path, _ in file_references(live, reading, text.index(named) + 1)]
    assert found == (["v.yaml"] if named == "v.yaml" else [])


def test_the_text_of_a_link_that_leads_out_is_not_read(workspace: Path) -> None:
    files = TextDocuments()
    assert files.read(str(workspace / "linked.yaml")) is None
    assert files.read(str(workspace / "v.yaml")) is not None
