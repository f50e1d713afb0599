"""What the voice asks of the menu of a brand, and of where a value is from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import Item, Modifier
    from trialrun.runtime.channel_config.origin import Origin

OriginOf = Callable[..., "Origin"]
"""Where a message, or what steps lead to from it, comes from: `origin_of(node, *steps)`."""


class Entries(Protocol):
    """The menu of a brand; `menu.MenuOfBrand` is it."""

    @property
    def items(self) -> Sequence[Item]:
        """Every item, in the order of the menu."""

    @property
    def modifiers(self) -> Sequence[Modifier]:
        """Every modifier, in the order of the menu."""

    def item(self, name_or_id: str, /) -> Item:
        """The item of a name or an id. Raises LookupError."""
