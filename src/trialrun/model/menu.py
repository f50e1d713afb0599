"""Menus: what names and ids of items, modifier groups and modifiers refer to, and when and where an item is sold."""

from typing import ClassVar, Literal

from trialrun.model.node import ID, NAME_OR_ID, SEMANTIC_NAME, Node, Resource, field

Day = Literal["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]


class ServiceHours(Node):
    """Hours of some days of the week, in the time zone of the store; `end` before `start` is on the next day."""

    item_key: ClassVar = ()

    days: list[Day] | None = field("Days on which the hours begin; every day when unset.")
    start: str | None = field("First minute, as in 06:00; 00:00 when unset.", format="time-of-day")
    end: str | None = field("First minute after the hours, as in 10:30; 24:00 when unset.", format="time-of-day")


class DateRange(Node):
    """Days of the calendar, both ends included."""

    item_key: ClassVar = ()

    start: str | None = field("First day, as in 2026-11-01; unlimited when unset.", format="date")
    end: str | None = field("Last day, as in 2026-12-24; unlimited when unset.", format="date")


class Daypart(Node):
    """A part of the day, such as breakfast."""

    item_key: ClassVar = ("name",)

    name: str | None = field("Name of the daypart, as session.daypartId has it.", mode="required", declares="daypart")
    hours: list[ServiceHours] | None = field("Its hours; what is sold in it is never refused for the time when unset.")


class Availability(Node):
    """When and where something is sold: where all of these agree, and always where none is set."""

    soldOut: bool | None = field("Whether it is sold out; false when unset.")
    stores: list[str] | None = field("Names of the stores that sell it; every store when unset.", names="store")
    exceptStores: list[str] | None = field("Names of stores that do not sell it or ran out of it.", names="store")
    dayparts: list[str] | None = field("Names of the dayparts in which it is sold.", names="daypart")
    hours: list[ServiceHours] | None = field("Hours in which it is sold.")
    dates: list[DateRange] | None = field("Days on which it is sold.")


class Modifier(Node):
    """A modifier of the menu."""

    item_key: ClassVar = ("name", "displayName", "semanticName", "id")
    one_of: ClassVar = ("name", "displayName", "semanticName")

    name: str | None = field("Name of the modifier.", declares="modifier")
    semanticName: str | None = field(
        "Name that suggestedModifiers mean; `name` when unset.", declares="modifier", by=SEMANTIC_NAME
    )
    displayName: str | None = field("Name that customers see; `name` when unset.", declares="modifier")
    id: str | None = field("Unique id of the modifier.", declares="modifier", by=ID)


class ModifierGroup(Node):
    """A group of modifiers of the menu."""

    item_key: ClassVar = ("name", "displayName", "semanticName", "id")
    one_of: ClassVar = ("name", "displayName", "semanticName")

    name: str | None = field("Name of the group.", declares="modifier group")
    semanticName: str | None = field(
        "Name that suggestedModifierGroups mean; `name` when unset.", declares="modifier group", by=SEMANTIC_NAME
    )
    displayName: str | None = field("Name that customers see; `name` when unset.", declares="modifier group")
    id: str | None = field("Unique id of the group.", declares="modifier group", by=ID)
    modifiers: list[Modifier] | None = field("The modifiers of the group.")


class MenuItem(Node):
    """An item of the menu."""

    item_key: ClassVar = ("name", "displayName", "semanticName", "id")
    one_of: ClassVar = ("name", "displayName", "semanticName")

    name: str | None = field("Name of the item.", declares="item")
    semanticName: str | None = field(
        "Name that suggestedMenuItems mean, unique among the items; `name` when unset.",
        declares="item",
        by=SEMANTIC_NAME,
    )
    displayName: str | None = field("Name that customers see; `name` when unset.", declares="item")
    id: str | None = field("Unique id of the item.", declares="item", by=ID)
    price: float | None = field("Price of one item.", minimum=0)
    categories: list[str] | None = field("Sections of the menu that have the item.", format="free-text")
    availability: Availability | None = field("When and where the item is sold; always and everywhere when unset.")
    modifierGroups: list[str] | None = field(
        "Names or ids of the modifier groups that the item takes.", names="modifier group", by=NAME_OR_ID
    )


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


class Menu(Resource):
    """The menu of a brand: what names and ids of items, groups and modifiers refer to."""

    kind: Literal["Menu"] | None = field("Menu.")
    name: str | None = field("Name of the menu.", mode="identifier", format="identifier")
    displayName: str | None = field("Display name of the menu.", format="free-text")
    brand: str | None = field("Name of the brand.", names="brand")
    availability: Availability | None = field("When and where all items are sold; each may narrow it.")
    dayparts: list[Daypart] | None = field("The parts of the day that availability names.")
    items: list[MenuItem] | None = field("The items.")
    modifierGroups: list[ModifierGroup] | None = field("The modifier groups.")
