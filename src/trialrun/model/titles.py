"""What messages call an upsell, an item, a modifier or a modifier group, without their models."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.model.menu import MenuItem, Modifier, ModifierGroup

    MenuEntry = MenuItem | Modifier | ModifierGroup


def entry_title(entry: MenuEntry) -> str:
    """What an entry is called in sessions and reports; empty if it has no name."""
    return entry.displayName or entry.name or entry.semanticName or ""


def entry_names(entry: MenuEntry) -> tuple[str, ...]:
    """The names of an entry, first what it is called; its semantic name only if it has no other."""
    return tuple(dict.fromkeys(filter(None, (entry_title(entry), entry.name))))


def semantic_names(entry: MenuEntry) -> tuple[str, ...]:
    """The semantic name of an entry; its names if it has none."""
    return (entry.semanticName,) if entry.semanticName else entry_names(entry)


def upsell_title(display_name: str | None, priority: int | None) -> str:
    """An upsell's display name in quotes, else its priority where it is known."""
    if display_name:
        return f'"{display_name}"'
    return "an upsell without priority" if priority is None else f"the upsell of priority {priority}"
