"""Tags of findings: what is struck through, and what is faded."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.cases import first_of
from tests.lsp.client import Editor
from tests.lsp.server.lsp_client import play_shared
from tests.program import view
from trialrun.lint import registry
from trialrun.lsp.server.diagnostics import DEPRECATED, UNNECESSARY


def test_only_rules_that_there_are_have_tags() -> None:
    assert registry.files().keys() >= DEPRECATED | UNNECESSARY


@pytest.mark.parametrize(
    ("text", "rule", "tag"),
    first_of(
        [
            (view() + "vectorSearchConfig: {}\n", "deprecated-field", types.DiagnosticTag.Deprecated),
            (view(cron="TZ=US/Eastern 0 9 * * *"), "deprecated-time-zone", types.DiagnosticTag.Deprecated),
            (view() + "createTime: 2026-01-01T00:00:00Z\n", "output-only-field", types.DiagnosticTag.Unnecessary),
            (
                view().replace("cron: 0 3 * * *", "continuous: false"),
                "empty-sync-config",
                types.DiagnosticTag.Unnecessary,
            ),
        ],
        number=3,
    ),
)
def test_a_finding_has_its_tag(tmp_path: Path, text: str, rule: str, tag: types.DiagnosticTag) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", text)
        said = editor.published
        await editor.until(lambda: editor.uri("view.yaml") in said, lambda: "nothing is told")
        (found,) = [
            diagnostic for diagnostic in said[editor.uri("view.yaml")][-1].diagnostics if diagnostic.code == rule
        ]
        assert found.tags == (tag,)

    play_shared(session, tmp_path)
