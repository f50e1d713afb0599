"""Origin of an effective value."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.diagnostic import Range, SymbolicLocation
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.runtime.channel_config.level import Level
    from trialrun.runtime.declaration import DeclaredResource


@dataclass(frozen=True)
class Origin:
    """The origin of a value: the config and level that set it, its location, and the values it overrode, last first.

    `rule` is the config application rule whose binding applies the config; None for a default.
    """

    level: Level
    rule: str | None
    config: DeclaredResource[ChannelConfig]
    place: SymbolicLocation
    value: Any
    overrode: tuple[Origin, ...] = ()

    @property
    def name(self) -> str:
        """The resource name of the config."""
        return self.config.node.name or ""

    @property
    def path(self) -> str:
        """The displayed path of the config's file."""
        return self.config.path

    @cached_property
    def range(self) -> Range:
        """The range of the value in the file."""
        return self.config.locate(self.place)

    @property
    def line(self) -> int:
        """The line of the value, from 1."""
        return self.range.start.line
