"""What workers have before they are forked: the samples that are linted for it have the mistakes that they should."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trialrun.diagnostic import Diagnostic
from trialrun.lint import warm_up
from trialrun.lint.engine import Linter
from trialrun.lint.file_result import FileResult

NOW = datetime(2026, 11, 20, tzinfo=UTC)
USUAL = {
    "cel-type",
    "duplicate-item",
    "invalid-label",
    "invalid-language-tag",
    "non-canonical-form",
    "null-value",
    "out-of-range",
    "unknown-enum-value",
    "unknown-field",
}


def test_the_samples_have_usual_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Diagnostic] = []
    lint = Linter.lint

    def logged(linter: Linter, data: bytes, path: str) -> FileResult:
        result = lint(linter, data, path)
        found.extend(result.diagnostics)
        return result

    monkeypatch.setattr(Linter, "lint", logged)
    warm_up.lint_samples(NOW)
    rules = {diagnostic.rule for diagnostic in found}
    assert rules >= USUAL
    assert not rules & {"internal-error", "syntax-error", "unknown-kind"}
    assert any(diagnostic.fix for diagnostic in found)
