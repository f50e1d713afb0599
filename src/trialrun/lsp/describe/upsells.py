"""Description of the order of upsells, and of the items that a skip term matches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.describe.markdown import code, plain
from trialrun.model.menu_names import entry_title
from trialrun.report.summary import pluralize

if TYPE_CHECKING:
    from trialrun.lsp.describe.value_location import ValueLocation
    from trialrun.model.channel_config import UpsellConfig

MAX_LISTED = 12


def upsell_order_paragraphs(place: ValueLocation) -> Iterator[str]:
    """The upsells of a strategy in the order of attempts."""
    operations = getattr(place.part.model.node, "operationsConfig", None)
    strategy = operations.upsellStrategy if operations else None
    upsells: list[UpsellConfig] = (strategy.upsells if strategy else None) or []
    ordered = sorted((upsell for upsell in upsells if upsell.priority is not None), key=lambda one: one.priority or 0)
    if len(ordered) <= 1:
        return
    here = _index(place) if type(upsells) is list else None  # one that lost items counts otherwise
    current = upsells[here] if here is not None and here < len(upsells) else None
    lines = [
        f"{number}. {_upsell(one, is_here=one is current)}" for number, one in enumerate(ordered[:MAX_LISTED], start=1)
    ]
    more = [f"{MAX_LISTED + 1}. and {len(ordered) - MAX_LISTED} more"] if len(ordered) > MAX_LISTED else []
    yield "\n".join(["Attempted in this order:", "", *lines, *more])


def _index(place: ValueLocation) -> int | None:
    """The index in its list of the upsell whose priority is at a location."""
    step = place.way[-2] if len(place.way) > 1 else None
    return step if isinstance(step, int) else None


def _upsell(upsell_config: UpsellConfig, *, is_here: bool) -> str:
    disabled = ", disabled" if upsell_config.disabled else ""
    name = plain(upsell_config.displayName or "without a display name")
    return f"{f'**{name}**' if is_here else name} (priority {upsell_config.priority}{disabled})"


def skip_term_paragraphs(place: ValueLocation) -> Iterator[str]:
    """The menu items whose names contain the skip term."""
    from trialrun.runtime.channel_config.session.reasons import has_skip_term
    from trialrun.workspace.open_workspace.catalog_cache import brands

    brand = (getattr(place.part.model.node, "name", None) or "").rpartition("/channelConfigs/")[0]
    menus = [menu.node for menu in brands(place.workspace).menus if not brand or menu.node.brand in (None, brand)]
    if not place.text or not menus:
        return
    names = {
        title: filter(None, (item.displayName, item.name, item.semanticName))
        for menu in menus
        for item in menu.items or ()
        if (title := entry_title(item))
    }
    skipping = [title for title, texts in names.items() if any(has_skip_term(text, place.text) for text in texts)]
    if not skipping:
        yield f"No item of the menu has {code(place.text)} in its name."
        return
    shown = ", ".join(code(name) for name in skipping[:MAX_LISTED])
    more = f" and {len(skipping) - MAX_LISTED} more" if len(skipping) > MAX_LISTED else ""
    yield f"Skipped with {pluralize(len(skipping), 'item')} of the menu in the order: {shown}{more}"
