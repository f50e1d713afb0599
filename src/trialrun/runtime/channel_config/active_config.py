"""What is in force at a store: which config of both types a session goes by, for each thing that it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.assumptions import assumed
from trialrun.runtime.channel_config.effective import Effective, effective
from trialrun.runtime.channel_config.layers import Layer, Unapplied, named
from trialrun.runtime.channel_config.level import TYPES, ResolvedType
from trialrun.runtime.options import DEFAULTS, MessageDraw, Options

if TYPE_CHECKING:
    from trialrun.model.channel_config import SupplementalInstructions, Tone, UpsellStrategy
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.catalog import BrandCatalog, StoreOfBrand
    from trialrun.runtime.channel_config.origin import Origin

UPSELLS: Final[tuple[ResolvedType, ...]] = ("UPSELL_STRATEGY", "AGENT_CUSTOMIZATION")
THE_REST: Final[tuple[ResolvedType, ...]] = ("AGENT_CUSTOMIZATION", "UPSELL_STRATEGY")
"""Which type a session takes a thing from: the first one that has it."""


@dataclass(frozen=True, eq=False)
class InForce:
    """What is effective at a store, by type, and the defaults and bindings that apply nothing.

    `message_draw` is the choice of the workspace: which messages are weighed together.
    """

    store: StoreOfBrand
    types: Mapping[ResolvedType, Effective]
    unapplied: Sequence[Unapplied] = ()
    message_draw: MessageDraw = "offer"

    @property
    def upsell_strategy(self) -> UpsellStrategy | None:
        """The upsell strategy of the config for upsells, else the one of the config for the agent."""
        found: UpsellStrategy | None = self.operation("upsellStrategy")
        return found

    def operation(self, field: str) -> Any:
        """A field of operationsConfig, from the type that a session takes it from; None where neither sets it."""
        return self._value("operationsConfig", field)

    @property
    def tone(self) -> Tone | None:
        """The tone of the agent."""
        found: Tone | None = self._value("tone")
        return found

    @property
    def supplemental_instructions(self) -> SupplementalInstructions | None:
        """Extra instructions."""
        found: SupplementalInstructions | None = self._value("supplementalInstructions")
        return found

    def taken_from(self, *steps: str) -> Effective | None:
        """The type that has what the steps lead to: ("tone",), or ("operationsConfig", "greetings"); None for none."""
        order = UPSELLS if steps[:2] == ("operationsConfig", "upsellStrategy") else THE_REST
        return next((self.types[one] for one in order if _stands(self.types[one].value, steps)), None)

    def origin(self, *steps: str) -> Origin | None:
        """Where what the steps lead to comes from, as `taken_from` has them; None where nothing sets it."""
        found = self.taken_from(*steps)
        return found.origin(json_pointer(steps)) if found else None

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """The rows of docs/assumptions.md that this rests on."""
        return assumed(self.types, is_all_named=not self.unapplied)

    def origin_of(self, node: Node, *steps: str | int) -> Origin:
        """Where a message that this gave out, or what the steps lead to from it, comes from.

        Raises KeyError for any other message, and where the steps lead to nothing.
        """
        for one in self.types.values():
            if one.has(node):
                return one.origin_of(node, *steps)
        raise KeyError(type(node).__name__)

    def _value(self, *steps: str) -> Any:
        found = self.taken_from(*steps)
        value: Any = found.node if found else None
        for step in steps if found else ():
            value = getattr(value, step)
        return value


def in_force(store: StoreOfBrand, catalog: BrandCatalog, options: Options = DEFAULTS) -> InForce:
    """What is in force at a store, of both types; an empty one where no config of a type applies."""
    found = list(named(store, catalog))
    applied = [one for one in found if isinstance(one, Layer)]
    types = {one: effective(one, applied, catalog, lists=options.list_merge) for one in TYPES}
    unapplied = [one for one in found if isinstance(one, Unapplied)]
    return InForce(store, types, unapplied, options.message_draw)


def _stands(value: Any, steps: Sequence[str]) -> bool:
    for step in steps:
        if not isinstance(value, Mapping) or step not in value:
            return False
        value = value[step]
    return True
