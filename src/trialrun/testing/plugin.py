"""The plugin of pytest: the fixture `trialrun_server`, its settings and its marker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from trialrun.testing.server import Server

MARKER = "trialrun"
SCOPES = ("session", "package", "module", "class", "function")
SETTINGS = {
    "trialrun_workspace": "The workspace that is served, relative to the folder of the settings.",
    "trialrun_at": "The time at which servers begin: RFC 3339, or a date; now by default.",
    "trialrun_speed": "Seconds that the clocks of servers move in one; 0 by default: they stand still.",
    "trialrun_dialect": "The field names by HTTP: specification, or vendor.",
    "trialrun_scope": f"Who shares a server: {', '.join(SCOPES)}; session by default.",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the settings."""
    for name, text in SETTINGS.items():
        parser.addini(name, text, default=None)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers", f"{MARKER}(workspace, at, speed, dialect): give this test a server of its own, with these options"
    )


def _scope(fixture_name: str, config: pytest.Config) -> Any:
    scope = config.getini("trialrun_scope") or "session"
    if scope not in SCOPES:
        raise pytest.UsageError(f'trialrun_scope: "{scope}" is no scope; write one of {", ".join(SCOPES)}')
    return scope


@pytest.fixture(scope=_scope)
def trialrun_shared_server(pytestconfig: pytest.Config) -> Iterator[Server]:
    """A server that all tests of the scope share; for fixtures that live longer than a test."""
    from trialrun.testing.server import serve

    with serve(**_options(pytestconfig)) as server:
        yield server


@pytest.fixture
def trialrun_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server over the workspace: that of all tests, or one of its own for a test with the marker `trialrun`.

    Faults that a test sets are taken back after it.
    """
    marker = request.node.get_closest_marker(MARKER)
    if marker is None:
        server: Server = request.getfixturevalue("trialrun_shared_server")
        yield server
        server.clear_faults()
        return
    if marker.args:
        raise pytest.UsageError(f"the marker {MARKER} takes names: {MARKER}(at=...)")
    from trialrun.testing.server import serve

    with serve(**{**_options(request.config), **marker.kwargs}) as server:
        yield server


def _options(config: pytest.Config) -> dict[str, Any]:
    """The settings of the tests as arguments of `serve`."""
    folder = config.inipath.parent if config.inipath else config.rootpath
    chosen = {name: config.getini(f"trialrun_{name}") for name in ("at", "dialect")}
    return {
        "workspace": folder / (config.getini("trialrun_workspace") or "."),
        "speed": float(config.getini("trialrun_speed") or 0),
        **{name: value for name, value in chosen.items() if value},
    }
