"""What questions would otherwise wait for: imports, and what the texts of the workspace declare and mention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.lsp.features import feature, offered

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import Live, Reading


class Warming:
    """Work that is done ahead for a workspace, in small steps, when nothing else is left."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._revision = -1
        self._features = offered()
        self._paths: list[str] = []
        self._reading: Reading | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether there is something left for `step`."""
        return bool(self._features or self._paths or self._reading) or self._revision != self._live.revision

    @property
    def next_path(self) -> str | None:
        """The file that `step` reads next; None where it reads none."""
        if self._reading is not None:
            return self._reading.path
        return self._paths[-1] if self._paths and not self._features else None

    def step(self) -> None:
        """Do a little: import a feature, see which texts are left, read one, or see what it mentions."""
        if self._features:
            feature(self._features.pop())
        elif self._reading is not None:
            self._see_mentions(self._reading)
        elif self._paths:
            self._read(self._paths.pop())
        else:
            self._begin()

    def _begin(self) -> None:
        """See which texts have changed; where none has, make of all what is asked for."""
        from trialrun.workspace.open_workspace.catalog_cache import behind, views

        self._paths = sorted(behind(self._live), reverse=True)
        if not self._paths:
            self._revision = self._live.revision
            views(self._live)

    def _read(self, path: str) -> None:
        from trialrun.workspace.open_workspace.catalog_cache import read_ahead

        self._reading = read_ahead(self._live, path)

    def _see_mentions(self, reading: Reading) -> None:
        from trialrun.lsp.symbols import mentions

        self._reading = None
        mentions(self._live, reading)
