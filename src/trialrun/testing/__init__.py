"""Servers for tests: `trialrun serve` over a workspace on free ports, for any test framework; pytest has fixtures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.testing.server import ClockMove, Fault, RequestRefused, Server, ServerFailed, serve

__all__ = ["ClockMove", "Fault", "RequestRefused", "Server", "ServerFailed", "serve"]


def __getattr__(name: str) -> Any:
    """The names of the package, imported when they are used: pytest loads its plugin at every start."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from trialrun.testing import server

    return getattr(server, name)
