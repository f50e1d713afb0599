"""Modules in the working directory, named like ours or like those that we use, are not imported."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import first_of
from tests.lsp.client import Editor, edited
from tests.program import own_environment, view
from trialrun.lsp import guard

NAMES = (
    "yaml",
    "click",
    "pydantic",
    "tomllib",
    "json",
    "pathspec",
    "sqlite3",
    "pygls",
    "lsprotocol",
    "duckdb",
    "pickle",
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with modules that leave a mark when they are imported."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "v.yaml").write_text(view(cron="0 25 * * *"))
    (folder / "trialrun.toml").write_text('ignore = ["cron-dst"]\n')
    for name in NAMES:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit(9)\n")
    return folder


@pytest.mark.parametrize("line", first_of(["check", "schedule", "check --fix --diff", "settings", "rules"], 2))
def test_python_m_imports_nothing_of_the_working_directory(workspace: Path, line: str) -> None:
    command = [sys.executable, "-m", "trialrun", *line.split()]
    done = subprocess.run(command, cwd=workspace, env=own_environment(workspace), capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert not (workspace.parent / "ran").exists()


def test_the_package_runs_from_the_folder_it_is_in(tmp_path: Path) -> None:
    source = Path(guard.__file__).parents[2]
    command = [sys.executable, "-m", "trialrun", "rules"]
    done = subprocess.run(command, cwd=source, env=own_environment(tmp_path), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_editor_server_imports_nothing_of_the_working_directory(workspace: Path) -> None:
    async def session() -> None:
        async with edited(workspace) as editor:
            await look(editor)

    async def look(editor: Editor) -> None:
        editor.open("v.yaml")
        await editor.findings("v.yaml", "cron-syntax")

    asyncio.run(session())
    assert not (workspace.parent / "ran").exists()


def test_the_server_is_started_without_its_working_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def start(command: list[str], **options: object) -> None:
        commands.append(command)
        raise OSError("no process is started")

    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(OSError, match="no process"):
        guard.ServerProcess("{}")
    assert "-P" in commands[0]
