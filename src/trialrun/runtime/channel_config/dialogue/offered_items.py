"""The items of an offer, by the menu: semantic names where the specification asks for them, names elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import NotOnMenuError, names_of, normalize_name

if TYPE_CHECKING:
    from trialrun.model.channel_config import CelUpsell, OfferMessage
    from trialrun.runtime.channel_config.menu import BrandMenu, Item, NameForm

OTHER_FORM: dict[NameForm, NameForm] = {"name": "semantic name", "semantic name": "name"}


@dataclass(frozen=True, slots=True)
class OfferedItems:
    """What the items of an offer are called; what the menu does not have stands for itself.

    `notes` say of each that is written as another form of name than the specification has. `items` are those on the
    menu.
    """

    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()


def upsold_items(message: OfferMessage, menu: BrandMenu) -> OfferedItems:
    """The items that a message upsells."""
    return _offered_items(message.upsoldItems or message.upsoldItemIds or (), menu, "name")


def suggested_items(upsell: CelUpsell, menu: BrandMenu) -> OfferedItems:
    """The items that a CEL upsell suggests."""
    return _offered_items(upsell.suggestedMenuItems or (), menu, "semantic name")


def _offered_items(texts: Iterable[str], menu: BrandMenu, form: NameForm) -> OfferedItems:
    names: dict[str, None] = {}
    notes: list[str] = []
    items: dict[Item, None] = {}
    for text in texts:
        try:
            item = menu.item(text, form)
        except NotOnMenuError:
            names[text] = None
            continue
        names[item.name], items[item] = None, None
        if (other := OTHER_FORM[form]) and not _is_called(item, text, form) and _is_called(item, text, other):
            notes.append(f'"{text}" is the {other} of an item whose {form} is "{names_of(item, form)[0]}"')
    return OfferedItems(tuple(names), tuple(notes), tuple(items))


def _is_called(item: Item, text: str, form: NameForm) -> bool:
    return normalize_name(text) in map(normalize_name, names_of(item, form))
