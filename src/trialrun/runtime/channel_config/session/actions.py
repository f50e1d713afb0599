"""Actions of a customer in a turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import Modifier, OrderLineItem


@dataclass(frozen=True, slots=True)
class Add:
    """Order something."""

    line_item: OrderLineItem


@dataclass(frozen=True, slots=True)
class Remove:
    """Take an item off the order: all of it, or so many."""

    item: str
    quantity: int | None = None


@dataclass(frozen=True, slots=True)
class SetQuantity:
    """Make it so many of an item that is in the order."""

    item: str
    quantity: int


@dataclass(frozen=True, slots=True)
class Accept:
    """Take what was offered last: one of its items, the first where none is named; with modifiers, where some are."""

    item: str | None = None
    modifiers: tuple[Modifier, ...] = ()


@dataclass(frozen=True, slots=True)
class Decline:
    """Say no to what was offered last."""


@dataclass(frozen=True, slots=True)
class Speak:
    """Go on in a language, a BCP-47 tag."""

    language: str


@dataclass(frozen=True, slots=True)
class Say:
    """Say something, in which customer terms may be."""

    text: str


@dataclass(frozen=True, slots=True)
class SetState:
    """Set a value of the session state that the client sends, such as `session.partySize`."""

    path: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Finish:
    """Say that the order is complete: closing offers follow."""


Action = Add | Remove | SetQuantity | Accept | Decline | Speak | Say | SetState | Finish


class ActionError(ValueError):
    """An action that the session does not allow; the message says why and what to do. Nothing of it was done."""

    def __init__(self, action: Action, message: str) -> None:
        super().__init__(message)
        self.action = action


def build_client_state(settings: Iterable[SetState]) -> dict[str, Any]:
    """What is sent at once, as one mapping of variables; of one place the last counts."""
    state: dict[str, Any] = {}
    for setting in settings:
        *above, last = setting.path
        target = state
        for step in above:
            value = target.get(step)
            target[step] = dict(value) if isinstance(value, dict) else {}
            target = target[step]
        target[last] = setting.value
    return state
