"""What messages call an upsell, without its model."""

from __future__ import annotations


def upsell_title(display_name: str | None, priority: int | None) -> str:
    """An upsell's display name in quotes, else its priority where it is known."""
    if display_name:
        return f'"{display_name}"'
    return "an upsell without priority" if priority is None else f"the upsell of priority {priority}"
