"""The working directory of an analysis is removed between two tasks: no error, and open texts are linted."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import trialrun.working_folder
from tests.lsp.analysis.test_folder_analysis import BRAND, WRONG, AnalysisHarness
from trialrun.lsp.analysis.folder_analysis import FolderAnalysis
from trialrun.lsp.analysis.options import Options
from trialrun.lsp.features import FEATURES
from trialrun.lsp.results import CannotRename
from trialrun.working_folder import absolute_path, enter_folder, forget_folder, working_folder

AT = WRONG.index(b"featureViews/w") + len("featureViews/")
REQUEST_ARGUMENTS: dict[str, tuple[object, ...]] = {
    "code_action": (0, len(WRONG)),
    "completion_resolve": (("rule", "cron-syntax"),),
    "rename": (AT, "other"),
    "workspace_symbols": ("",),
} | dict.fromkeys(("completion", "goto_definition", "hover", "prepare_rename", "references"), (AT,))
ASKS = re.compile(r"os\.getcwd|os\.path\.(abspath|realpath|relpath)\((?!(__file__|absolute, here)\b)|Path\.cwd")
OF_ANOTHER_PROCESS = {
    "lsp/guard.py",
    "lsp/server/diagnostics.py",
    "lsp/server/text_documents.py",
    "lint/registry.py",  # its own file
    "workspace/dry_run.py",
    "workspace/since.py",  # changes the working directory
}
POLICY = b"id: fails\non: SyncConfig\ncheck: has(self.cron)\nmessage: m\n"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """The remembered working directory, with a policy, a baseline and files on disk."""
    before = os.getcwd()
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "trialrun.toml").write_text('policies = ["policy.yaml"]\n')
    (folder / "policy.yaml").write_bytes(POLICY)
    for number in range(3):
        (folder / f"brand{number}.yaml").write_bytes(BRAND.replace(b"north", b"north%d" % number))
    enter_folder(str(folder))
    yield folder
    forget_folder()
    os.chdir(before)


def remove(folder: Path) -> None:
    shutil.rmtree(folder)
    with pytest.raises(FileNotFoundError):
        os.getcwd()


def play(analysis: FolderAnalysis, folder: Path, name: str) -> None:
    match name:
        case "change":
            analysis.files_changed([str(folder), str(folder / "brand1.yaml"), str(folder / "new.yaml")])
        case "settings":
            analysis.files_changed([str(folder / "trialrun.toml")])
        case "reload":
            analysis.reload(Options(cache=False))
        case "exclude":
            analysis.exclude(str(folder / "brand2.yaml"), "it is left out", will_open=False)
        case "close":
            analysis.close(str(folder / "view.yaml"))


@pytest.mark.parametrize("tasks", range(10))
def test_a_text_is_linted_whichever_task_comes_first_after_its_folder_is_gone(folder: Path, tasks: int) -> None:
    harness = AnalysisHarness(folder)
    harness.put("brand0.yaml", BRAND)
    for _ in range(tasks):
        harness.server.run_next_task()
    remove(folder)
    harness.finish()
    harness.put("view.yaml", WRONG)
    harness.finish()
    assert harness.of("view.yaml")[-1] == ["cron-syntax"]
    assert not any("internal-error" in rules for rules in harness.of("brand0.yaml"))
    assert harness.shown == []


@pytest.mark.parametrize("name", ["change", "settings", "reload", "exclude", "close"])
def test_every_message_is_handled_after_the_folder_is_gone(folder: Path, name: str) -> None:
    harness = AnalysisHarness(folder)
    harness.put("view.yaml", WRONG)
    harness.finish()
    remove(folder)
    play(harness.server, folder, name)
    harness.finish()
    harness.put("view.yaml", WRONG, 2)
    harness.finish()
    assert harness.of("view.yaml")[-1] == ["cron-syntax"]
    assert not any("failed" in message for message in harness.shown)


@pytest.mark.parametrize("file", ["view.yaml", "brand0.yaml"])
@pytest.mark.parametrize("name", sorted(FEATURES))
def test_every_request_is_answered_after_the_folder_is_gone(folder: Path, name: str, file: str) -> None:
    harness = AnalysisHarness(folder)
    harness.put("view.yaml", WRONG)
    harness.finish()
    remove(folder)
    with suppress(CannotRename):
        harness.server.answer(name, str(folder / file), *REQUEST_ARGUMENTS.get(name, ()))
    assert harness.shown == []


def test_paths_start_from_the_remembered_folder(folder: Path) -> None:
    remove(folder)
    assert working_folder() == str(folder)
    assert absolute_path("a/../b.yaml") == str(folder / "b.yaml")
    forget_folder()
    with pytest.raises(FileNotFoundError):
        working_folder()


def test_no_code_of_the_analysis_process_asks_for_the_working_directory_by_itself() -> None:
    source = Path(trialrun.working_folder.__file__).parent
    files = [*source.glob("workspace/**/*.py"), *source.glob("lint/**/*.py"), *source.glob("lsp/**/*.py")]
    files += [source / name for name in ("guarded_path.py", "repository.py")]
    culprits = [file for file in files if ASKS.search(file.read_text(encoding="utf-8"))]
    assert {file.relative_to(source).as_posix() for file in culprits} <= OF_ANOTHER_PROCESS
