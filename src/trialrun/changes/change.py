"""Changes between two revisions of a workspace, their levels and their reach, and what was played on both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from trialrun.diagnostic import Diagnostic, Range
from trialrun.documentation import changes
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.overlay import MERGE_KEYS

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Example
    from trialrun.runtime.channel_config.layers import ResolvedType

Operation = Literal["added", "removed", "changed", "reordered", "renamed"]
"""What happens to a field, to an item of a list, or to a resource."""
Outcome = Literal["passed", "failed", "error"]
Version = Literal["both", "base", "head"]


class Level(IntEnum):
    """How much a change may do; higher values do more."""

    SAFE = 1
    RISKY = 2
    BREAKING = 3

    @property
    def word(self) -> str:
        """The name in settings, options and JSON."""
        return self.name.lower()


LEVELS: dict[str, Level] = {level.word: level for level in Level}


@dataclass(frozen=True, slots=True)
class NotCompared:
    """Something that was not compared, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class EffectiveField:
    """A field whose effective value differs at some stores: the values, their origins, and the stores.

    The steps of its path name upsells and greetings. An origin is the path and the line of the value; empty where a
    side has no value.
    """

    type: ResolvedType
    path: tuple[str, ...]
    before: Any
    after: Any
    origin_before: str
    origin_after: str
    stores: Sequence[str] = ()

    @property
    def title(self) -> str:
        """The path as messages and `resolve --field` write it."""
        above, title = "", ""
        for step in self.path:
            title += f"[{step}]" if above in MERGE_KEYS else f".{step}"
            above = step
        return title.removeprefix(".")


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Texts that some stores lose and gain: instructions or tools of the agent."""

    removed: Sequence[str]
    added: Sequence[str]
    stores: Sequence[str]


@dataclass(frozen=True, slots=True)
class UpsellOrder:
    """The upsells of some stores in the order in which they are attempted, on both sides."""

    before: Sequence[str]
    after: Sequence[str]
    stores: Sequence[str]


@dataclass(frozen=True, slots=True)
class StoreReach:
    """The stores that a change reaches, out of `total`, and what differs there."""

    total: int
    names: Sequence[str] = ()
    fields: Sequence[EffectiveField] = ()
    instructions: Sequence[TextDifference] = ()
    tools: Sequence[TextDifference] = ()
    upsells: Sequence[UpsellOrder] = ()


@dataclass(frozen=True, slots=True)
class ViewReach:
    """A view that a change reaches: its next runs on both sides, if they differ, and its rows, if they were compared.

    Times are RFC 3339 in the zone of the schedule. Of rows there is how many entities that a sync would serve `appear`,
    `vanish` and `change`.
    """

    name: str
    runs: Sequence[RunsDifference] = ()
    rows: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class RunsDifference:
    """Runs of a view that differ: the next ones, or those in the week of a clock change, which `period` is then."""

    period: str
    before: Sequence[str]
    after: Sequence[str]


@dataclass(frozen=True, slots=True)
class ScenarioOutcome:
    """A scenario that passes on the documents of one side and not on those of the other.

    `version` is the revision that has the scenario as it was played; `both` where it is the same in both. `before` and
    `after` are its outcomes on the documents of BASE and HEAD. `reason` is the first thing that is not as expected.
    `causes` are the numbers of the changes of the plan that it is attributed to.
    """

    name: str
    path: str
    line: int
    version: Version
    before: Outcome
    after: Outcome
    reason: str
    causes: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class OfferCounts:
    """The sessions of one side in which an upsell was offered, accepted and declined."""

    offered: int
    accepted: int
    declined: int


@dataclass(frozen=True, slots=True)
class UpsellShares:
    """An upsell on both sides; None on the side that has no enabled upsell of the name."""

    upsell: str
    before: OfferCounts | None
    after: OfferCounts | None


@dataclass(frozen=True, slots=True)
class SessionExample:
    """The first session that differs, made short, and what the agent does in its last turn on both sides alone.

    It is session `number` of those that were played, at a store that stands for others. `access` are the options of
    which files are read.
    """

    number: int
    store: str
    session: Example
    before: Sequence[str]
    after: Sequence[str]
    access: Sequence[str]


@dataclass(frozen=True, slots=True)
class SessionsDifference:
    """Sessions of the same customers at equal stores on both sides: how many were played, and how many differ.

    `causes` are the numbers of the changes of the plan that this is attributed to.
    """

    stores: Sequence[str]
    sessions: int
    differing: int
    upsells: Sequence[UpsellShares]
    example: SessionExample | None = None
    causes: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Reach:
    """Whom a change reaches. `scenarios` and `sessions` are filled where these are played."""

    stores: StoreReach | None = None
    views: Sequence[ViewReach] = ()
    scenarios: Sequence[ScenarioOutcome] = ()
    sessions: Sequence[SessionsDifference] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two revisions: what it is by `id`, how much it may do, and where it is.

    `path`, `pointer` and `range` are those of the later revision, and of the earlier one for what is gone. `pointer`
    leads from the root of the document. `before` and `after` are plain values, None where a side has none.
    `lowered_from` is the level that the id has where this change has a lower one; `why` explains the level.
    """

    id: str
    level: Level
    lowered_from: Level | None
    resource: str
    kind: str
    path: str
    pointer: str
    before: Any
    after: Any
    range: Range
    reach: Reach
    why: str


@dataclass
class Played:
    """All that was played for a plan; `scenarios` and `sessions` are how many were played on each side."""

    scenarios: int = 0
    sessions: int = 0
    outcomes: list[ScenarioOutcome] = field(default_factory=list)
    differences: list[SessionsDifference] = field(default_factory=list)
    is_interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What lies between two revisions, with what could not be compared.

    `resources` is how many were `added`, `changed`, `removed`, or only `moved` to another file; each is counted once.
    The findings are those of `check` that are new in the later revision, or gone.
    `page_url` is where the page of `trialrun report` is kept that shows the same, for a review comment to link to.
    """

    base: str
    head: str
    changes: Sequence[Change]
    resources: Mapping[str, int]
    not_compared: Sequence[NotCompared] = ()
    new_findings: Sequence[Diagnostic] = ()
    gone_findings: Sequence[Diagnostic] = ()
    played: Played | None = None
    page_url: str | None = None

    def count(self, level: Level) -> int:
        """The number of changes of a level."""
        return sum(change.level is level for change in self.changes)


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
