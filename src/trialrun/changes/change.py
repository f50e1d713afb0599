"""The kinds of changes that `plan` tells apart: the table of docs/changes.md, which says the level of each and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast, get_args

from trialrun.documentation import changes
from trialrun.outputs.plan import LEVELS, Level, Operation

Subject = tuple[str, Operation | None]
"""What a change is about: `Message.field`, or the name of a kind, and the operation, None for every one."""
UNORDERED_LISTS = frozenset({
    "FeatureGroup.featureIds", "FeatureRegistrySource.featureGroups", "IndexConfig.filterColumns",
    "UpsellStrategy.upsells", "ClosingMessage.skipTerms", "GreetingOffer.messages", "ClosingOffer.closingMessages",
    "OfferMessage.messageConfigs", "OperationsConfig.greetings", "DisambiguationStrategy.mappings",
    "DisambiguationMapping.customerTerms", "StoreSelector.tags", "StoreSelector.names", "Store.tags", "Brand.stores",
    "Menu.items", "Menu.modifierGroups", "ModifierGroup.modifiers", "MenuItem.modifierGroups",
    "FeatureGroupTable.features", "Source.columns", "GivenSource.columns", "Given.sources",
})  # fmt: skip
"""Lists whose order means nothing: what they hold is matched by names, or by priority."""


@dataclass(frozen=True, slots=True)
class ChangeType:
    """A kind of change: its id, its default level, what it is in one sentence, and why it has the level.

    `mirror` is the id of the same change made backwards, which may be its own.
    """

    id: str
    level: Level
    summary: str
    why: str
    subjects: Sequence[Subject]
    mirror: str

    def page(self) -> str:
        """The page of the id: what it is, why it has its level, what is compared, and how to set another level."""
        words: dict[Operation | None, str] = {"reordered": "in another order", None: ""}
        compared = [(name, words.get(operation, operation)) for name, operation in self.subjects]
        lines = "\n".join(f"- `{name}`{f', {word}' if word else ''}" for name, word in compared)
        backwards = f"\nMade backwards, it is `{self.mirror}`.\n" if self.mirror != self.id else ""
        other = Level.BREAKING if self.level is Level.RISKY else Level.RISKY
        return (
            f"{self.summary}\n\nLevel: {self.level.word}. {self.why}\n\nWhat is compared:\n\n{lines}\n{backwards}\n"
            f'Another level, in trialrun.toml:\n\n    [change-levels]\n    {self.id} = "{other.word}"\n'
        )


@cache
def change_types() -> Mapping[str, ChangeType]:
    """All kinds of changes by id, sorted."""
    types: dict[str, ChangeType] = {}
    for id, (level, summary, why, compared, mirror) in changes().items():
        subjects: list[Subject] = []
        for text in compared.split(", "):
            name, _, operation = text.partition(" ")
            if operation and operation not in get_args(Operation):
                raise ValueError(f"docs/changes.md: {text} has no known operation")
            subjects.append((name.strip("`"), cast(Operation, operation) or None))
        types[id] = ChangeType(id, LEVELS[level], summary, why, subjects, mirror.strip("`") or id)
    return types


@cache
def _by_subject() -> Mapping[Subject, ChangeType]:
    return {subject: change_type for change_type in change_types().values() for subject in change_type.subjects}


def is_ordered(model: str, field: str) -> bool:
    """Whether the order of a list means something."""
    return f"{model}.{field}" not in UNORDERED_LISTS


def type_of(kind: str, model: str, field: str, operation: Operation) -> ChangeType:
    """The kind of change that an operation on a field is. Raises KeyError if the catalogue has none."""
    types = _by_subject()
    for name in (f"{model}.{field}", f"{model}.*", f"{kind}.*"):
        if found := types.get((name, operation)) or types.get((name, None)):
            return found
    raise KeyError(f"{model}.{field} {operation}")


def resource_type(kind: str, operation: Operation) -> ChangeType:
    """The kind of change that adding, removing or renaming a resource is."""
    return _by_subject()[kind, operation]


@cache
def has_entry(model: str, field: str, operation: Operation | None) -> bool:
    """Whether the catalogue has an entry for exactly this."""
    return (f"{model}.{field}", operation) in _by_subject()


@cache
def is_described(model: str) -> bool:
    """Whether the catalogue describes single fields of a message, so that it is worth looking into."""
    return any(name.startswith(f"{model}.") for name, _ in _by_subject())
