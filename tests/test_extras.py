"""What is said where an optional library is missing: one form, which works for a clone and for a wheel alike."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cli.example_workspace import without_libraries
from trialrun.cli.workspace_options import require_libraries
from trialrun.errors import UsageError
from trialrun.extras import install_command, missing_libraries

ROOT = Path(__file__).parent.parent
MESSAGES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "rules").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]


def test_it_names_what_is_missing_and_the_command() -> None:
    said = missing_libraries("sync", "runtime", "json", "no_such_library")
    assert said == "sync needs no_such_library, which is not installed; run pip install 'trialrun[runtime]'"
    assert missing_libraries("sync", "spark", "no_such", "nor_such").startswith(
        "sync needs no_such and nor_such, which are not installed"
    )
    assert missing_libraries("sync", "runtime", "json") == ""


def test_a_command_that_needs_it_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=re.escape("; run pip install 'trialrun[grpc]'")):
        require_libraries("--grpc-port", "grpc", "no_such_library")


@pytest.mark.parametrize("extra", ["redis", "iceberg", "spark", "serve"])
def test_an_extra_whose_page_shows_a_sync_has_what_a_sync_needs(extra: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "trialrun[runtime]" in project["optional-dependencies"][extra]


def test_no_other_form_is_used() -> None:
    texts = [file.read_text(encoding="utf-8") for file in MESSAGES]
    asked = [command for text in texts for command in re.findall(r"install \S*trialrun\[\S*", text)]
    assert {command for command in asked if not command.startswith("install 'trialrun[")} == set()


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [(), ("--editable",)])
def test_the_command_needs_no_index_that_has_trialrun(tmp_path: Path, options: tuple[str, ...]) -> None:
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", environment], check=True)
    pip = [environment / "bin" / "python", "-m", "pip", "--quiet", "install"]
    subprocess.run([*pip, "--no-deps", *options, ROOT], check=True)
    program, action, requirement = install_command("lsp").split()
    assert (program, action) == ("pip", "install")
    done = subprocess.run(
        [*pip, "--no-index", "--no-deps", requirement.strip("'")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_what_a_source_or_a_store_alone_needs_is_imported_there(tmp_path: Path) -> None:
    """It may not be installed; and pyiceberg, imported in a folder of others, would read settings there."""
    libraries = ["duckdb", "faiss", "pyarrow", "pyiceberg", "pyspark", "redis", "sqlglot"]
    modules = "trialrun.changes.plan, trialrun.page.sections, trialrun.server.start, trialrun.workspace.dry_run"
    done = without_libraries(tmp_path, libraries, code=f"import {modules}")
    assert (done.returncode, done.stderr) == (0, "")


def test_serve_says_what_to_install(tmp_path: Path) -> None:
    libraries = ["starlette", "uvicorn", "httptools", "prometheus_client", "numpy"]
    done = without_libraries(tmp_path, libraries, "serve")
    missing = f"{' and '.join(libraries)}, which are not installed"
    said = f"error: serve needs {missing}; run pip install 'trialrun[serve]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
