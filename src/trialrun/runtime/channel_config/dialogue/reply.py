"""What the agent says to a term that is ambiguous or that the menu does not have, in plain English."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import Ordered
    from trialrun.runtime.channel_config.session.turn import Mapped


def question(mapped: Mapped) -> str:
    """The question among the targets of an ambiguous term."""
    names = [described(line) for line in mapped.targets]
    return f'By "{mapped.heard}", do you mean {listed(names, "or")}?'


def invalid_item(mapped: Mapped) -> str:
    """The answer to a term of an invalid item, with the alternatives that its targets are."""
    refusal = f'Sorry, we do not have "{mapped.heard}".'
    names = [described(line) for line in mapped.targets]
    return f"{refusal} We do have {listed(names, 'and')}." if names else refusal


def described(line: Ordered) -> str:
    """An order line in words: the item, and its modifiers."""
    modifiers = [one.name for one in line.modifiers]
    return f"{line.item.name} with {listed(modifiers, 'and')}" if modifiers else line.item.name


def listed(names: Sequence[str], last: str) -> str:
    """Names in a row, with a word before the last one."""
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
