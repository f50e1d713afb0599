"""Interface to the origins of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.origin import Origin


class OriginOf(Protocol):
    """Where a message, or what steps lead to from it, comes from."""

    def __call__(self, node: Node, *steps: str | int) -> Origin:
        """The origin, which has the file and the line."""
