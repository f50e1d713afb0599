"""Replies of the agent to an ambiguous or invalid term, in plain English."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import OrderLineItem
    from trialrun.runtime.channel_config.session.turn import MappedTerm


def question_text(mapped: MappedTerm) -> str:
    """The question among the targets of an ambiguous term."""
    names = [describe_line(line) for line in mapped.targets]
    return f'By "{mapped.heard}", do you mean {join_names(names, "or")}?'


def invalid_item_text(mapped: MappedTerm) -> str:
    """The answer to a term of an invalid item, with the alternatives that its targets are."""
    refusal = f'Sorry, we do not have "{mapped.heard}".'
    names = [describe_line(line) for line in mapped.targets]
    return f"{refusal} We do have {join_names(names, 'and')}." if names else refusal


def describe_line(line: OrderLineItem) -> str:
    """An order line in words: the item, and its modifiers."""
    modifiers = [modifier.name for modifier in line.modifiers]
    return f"{line.item.name} with {join_names(modifiers, 'and')}" if modifiers else line.item.name


def join_names(names: Sequence[str], last: str) -> str:
    """Names in a row, with a word before the last one."""
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
