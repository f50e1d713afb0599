"""Every test of names has a folder of its own, in which `town` is open."""

from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import TOWN, opened
from trialrun.workspace.open_workspace import OpenWorkspace


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def town(tmp_path: Path) -> OpenWorkspace:
    """The small workspace in which everything has a name and is named."""
    return opened(tmp_path, **TOWN)
