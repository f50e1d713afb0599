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

    `notes` say of each that is written as another form of name than the specification has.
    """

    pairs: tuple[tuple[str, Item | None], ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the items are called."""
        return tuple(name for name, _ in self.pairs)


def upsold_items(message: OfferMessage, menu: BrandMenu) -> OfferedItems:
    """The items that a message upsells."""
    return offered_items(message.upsoldItems or message.upsoldItemIds or (), menu, "name")


def suggested_items(upsell: CelUpsell, menu: BrandMenu) -> OfferedItems:
    """The items that a CEL upsell suggests."""
    return offered_items(upsell.suggestedMenuItems or (), menu, "semantic name")


def offered_items(texts: Iterable[str], menu: BrandMenu, form: NameForm) -> OfferedItems:
    """What the items of an offer are called that are written as names of a form, or as ids."""
    items: dict[str, Item | None] = {}
    notes: list[str] = []
    for text in texts:
        try:
            item = menu.item(text, form)
        except NotOnMenuError:
            items.setdefault(text, None)
            continue
        items[item.name] = item
        if (other := OTHER_FORM[form]) and not _is_called(item, text, form) and _is_called(item, text, other):
            notes.append(f'"{text}" is the {other} of an item whose {form} is "{names_of(item, form)[0]}"')
    return OfferedItems(tuple(items.items()), tuple(notes))


def _is_called(item: Item, text: str, form: NameForm) -> bool:
    return normalize_name(text) in map(normalize_name, names_of(item, form))
