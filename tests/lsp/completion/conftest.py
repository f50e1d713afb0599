"""A workspace in which a text is asked about at the place of its cursor, `¦`."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trialrun.lint.settings import Profiles, Settings
from trialrun.lsp.features.completion import completion, completion_resolve
from trialrun.lsp.results import Completion
from trialrun.lsp.server.requests import without_tab_stops
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace

CURSOR = "¦"
DEFAULTS = Settings()
Ask = Callable[..., list[Completion]]
Labels = Callable[..., list[str]]
After = Callable[..., str]
Told = Callable[..., str | None]
Open = Callable[..., OpenWorkspace]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """A workspace in which a text is being edited; `beside` are other files."""
    monkeypatch.chdir(tmp_path)

    def made(text: str, path: str = "edited.yaml", settings: Settings = DEFAULTS, **beside: str) -> OpenWorkspace:
        for name, other in beside.items():
            (tmp_path / f"{name}.yaml").write_text(other)
        live = OpenWorkspace(
            CheckRequest(str(tmp_path), datetime(2026, 11, 20, 10, 30, tzinfo=UTC), Profiles(settings), cache=False)
        )
        live.set_overlay(str(tmp_path / path), text.replace(CURSOR, "").encode())
        return live

    return made


@pytest.fixture
def ask(opened: Open) -> Ask:
    """What may be written at the cursor of a text, in the order in which it is shown."""

    def asked(text: str, path: str = "edited.yaml", **beside: str) -> list[Completion]:
        live = opened(text, path, **beside)
        return sorted(completion(live, path, text.index(CURSOR))["items"], key=lambda one: one.sort_text)

    return asked


@pytest.fixture
def told(opened: Open) -> Callable[..., str | None]:
    """What is told of a label that may be written."""

    def asked(text: str, label: str, path: str = "edited.yaml", **beside: str) -> str | None:
        live = opened(text, path, **beside)
        one = next(item for item in completion(live, path, text.index(CURSOR))["items"] if item.label == label)
        return completion_resolve(live, path, one.data)

    return asked


@pytest.fixture
def labels(ask: Ask) -> Callable[..., list[str]]:
    """The labels of what may be written."""
    return lambda text, path="edited.yaml", **beside: [item.label for item in ask(text, path, **beside)]


@pytest.fixture
def after(ask: Ask) -> Callable[..., str]:
    """The text after the completion of a label was taken, as by an editor that knows no tab stops."""

    def taken(text: str, label: str, path: str = "edited.yaml", **beside: str) -> str:
        one = next(item for item in ask(text, path, **beside) if item.label == label)
        return applied_configs(text.replace(CURSOR, ""), one)

    return taken


def applied_configs(text: str, one: Completion) -> str:
    """A text in which a completion is written; further lines are indented like the one that it begins in."""
    lines = text.split("\n")
    line, start, end = one.range.start.line - 1, one.range.start.column - 1, one.range.end.column - 1
    before = lines[line][:start]
    indentation = before[: len(before) - len(before.lstrip())]
    written = without_tab_stops(one.text) if one.is_snippet else one.text
    lines[line] = before + written.replace("\n", "\n" + indentation) + lines[line][end:]
    return "\n".join(lines)
