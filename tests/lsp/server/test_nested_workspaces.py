"""Workspaces inside of the folder that an editor has open: findings are those of a check at the top."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.lsp.client import Editor
from tests.lsp.server.lsp_client import play_shared
from tests.program import Run, view

WRONG = view(cron="0 25 * * *")
WITHOUT_KIND = WRONG.replace("kind: FeatureView\n", "").replace("/v\n", "/plain\n")
POLICY = "id: {team}-etag\non: FeatureView\ncheck: has(self.etag)\nmessage: {team} wants an etag\n"
SETTINGS = {
    "": 'severity.cron-syntax = "warning"\n',
    "team-a/": 'ignore = ["cron-syntax"]\npolicies = ["rules"]\n',
    "team-b/": 'policies = ["rules"]\nkinds."plain.yaml" = "FeatureView"\n',
}
FILES = ("view.yaml", "team-a/view.yaml", "team-a/plain.yaml", "team-b/view.yaml", "team-b/plain.yaml")
Places = list[tuple[str, str, int, int]]


@pytest.fixture
def teams(tmp_path: Path) -> Path:
    """A workspace around two others, which differ in what they ignore, in kinds and in policies."""
    for folder, text in SETTINGS.items():
        (tmp_path / folder / "rules").mkdir(parents=True)
        (tmp_path / folder / "rules" / "etag.yaml").write_text(POLICY.format(team=folder.rstrip("/") or "top"))
        (tmp_path / folder / "trialrun.toml").write_text(text)
    for name in FILES:
        (tmp_path / name).write_text(WITHOUT_KIND if "plain" in name else WRONG)
    return tmp_path


def checked(run: Run) -> dict[str, Places]:
    """What a check at the top finds in each file."""
    report: dict[str, Any] = json.loads(run("check", "--output-format=json").out)
    found: dict[str, Places] = {name: [] for name in FILES}
    for diagnostic in report["diagnostics"]:
        start = diagnostic["range"]["start"]
        found[diagnostic["path"]].append((diagnostic["rule"], diagnostic["severity"], start["line"], start["column"]))
    return found


def shown(diagnostics: Sequence[types.Diagnostic]) -> Places:
    """The same of what an editor is told."""
    words = {types.DiagnosticSeverity.Error: "error", types.DiagnosticSeverity.Warning: "warning"}
    starts = [(diagnostic, diagnostic.range.start) for diagnostic in diagnostics]
    return [
        (str(one.code), words.get(one.severity or types.DiagnosticSeverity.Hint, "note"), at.line + 1, at.character + 1)
        for one, at in starts
    ]


@pytest.mark.parametrize("order", [FILES, pytest.param(FILES[::-1], marks=pytest.mark.exhaustive)])
def test_findings_are_those_of_a_check(run: Run, teams: Path, order: Sequence[str]) -> None:
    expected = checked(run)
    assert len({str(expected[name]) for name in FILES}) >= 4

    async def session(editor: Editor) -> None:
        for name in order:
            editor.open(name)
        for name in order:
            found = await editor.findings(name, *(rule for rule, *_ in expected[name]))
            assert shown(found) == expected[name], name

    play_shared(session, teams)
