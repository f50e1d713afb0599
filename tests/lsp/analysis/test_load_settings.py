"""The request of an editor's workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from trialrun.errors import UsageError
from trialrun.lsp.analysis.load_settings import workspace_request
from trialrun.lsp.ipc.messages import Options

OVERRIDES = '[[overrides]]\npaths = ["legacy/**"]\nignore = ["missing-name"]\n'


def test_settings_for_some_paths_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trialrun.toml").write_text(OVERRIDES)
    profiles = workspace_request(str(tmp_path), Options()).profiles
    assert "missing-name" in profiles.of("view.yaml").rules
    assert "missing-name" not in profiles.of("legacy/view.yaml").rules


def test_a_rule_that_there_is_not_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trialrun.toml").write_text('select = ["mising-name"]\n')
    with pytest.raises(UsageError, match='there is no rule "mising-name"'):
        workspace_request(str(tmp_path), Options())
