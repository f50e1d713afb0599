"""What questions would otherwise wait for: imports, and what the texts of the workspace declare and mention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.lsp.features import feature, offered

if TYPE_CHECKING:
    from trialrun.workspace.live import Live


class Warming:
    """Work that is done ahead for a workspace, in small steps, when nothing else is left."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._revision = -1
        self._features = offered()
        self._paths: list[str] = []

    @property
    def is_waiting(self) -> bool:
        """Whether there is something left for `step`."""
        return bool(self._features or self._paths) or self._revision != self._live.revision

    @property
    def next_path(self) -> str | None:
        """The file that `step` reads next; None where it reads none."""
        return self._paths[-1] if self._paths and not self._features else None

    def step(self) -> None:
        """Do a little: import a feature, see which texts are left, or read one."""
        if self._features:
            feature(self._features.pop())
        elif self._paths:
            self._read(self._paths.pop())
        else:
            self._begin()

    def _begin(self) -> None:
        """See which texts have changed; where none has, make of all what is asked for."""
        from trialrun.workspace.live.catalogs import behind, views

        self._paths = sorted(behind(self._live), reverse=True)
        if not self._paths:
            self._revision = self._live.revision
            views(self._live)

    def _read(self, path: str) -> None:
        from trialrun.lsp.names import mentions
        from trialrun.workspace.live.catalogs import read_ahead

        reading = read_ahead(self._live, path)
        if reading is not None:
            mentions(self._live, reading)
