"""Changes between two revisions of a workspace, their levels and their reach, and what was played on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal

from trialrun.diagnostic import Range
from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Example

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

    An origin is the path and the line of the value; empty where a side has no value.
    """

    type: str
    path: str
    before: Any
    after: Any
    origin_before: str
    origin_after: str
    stores: Sequence[str]


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

    Times are RFC 3339 in the zone of the schedule. `around` is the week of a clock change that the runs are from, empty
    for the next runs.
    """

    name: str
    runs: Sequence[RunsDifference] = ()
    rows: RowsDifference | None = None


@dataclass(frozen=True, slots=True)
class RunsDifference:
    """Runs of a view that differ: those of both sides in one period."""

    period: str
    before: Sequence[str]
    after: Sequence[str]


@dataclass(frozen=True, slots=True)
class RowsDifference:
    """The entities that a sync would serve: how many appear, vanish and change."""

    appear: int
    vanish: int
    change: int


@dataclass(frozen=True, slots=True)
class ScenarioOutcome:
    """A scenario that passes on the documents of one side and not on those of the other.

    `version` is the revision that has the scenario as it was played; `both` where it is the same in both. `before` and
    `after` are its outcomes on the documents of BASE and HEAD. `reason` is the first thing that is not as expected.
    """

    name: str
    path: str
    line: int
    version: Version
    before: Outcome
    after: Outcome
    reason: str


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

    @property
    def differs(self) -> bool:
        """Whether it was offered in another number of sessions."""
        return (self.before.offered if self.before else 0) != (self.after.offered if self.after else 0)


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
    """Sessions of the same customers at equal stores on both sides: how many were played, and how many differ."""

    stores: Sequence[str]
    sessions: int
    differing: int
    upsells: Sequence[UpsellShares]
    example: SessionExample | None = None


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

    @property
    def sort_key(self) -> tuple[int, str, Range, str, str]:
        """Sort key: the level, highest first, then the place."""
        return (-self.level, self.path, self.range, self.id, self.pointer)


@dataclass(frozen=True, slots=True)
class ResourceCounts:
    """How many resources were added, changed, removed, or only moved to another file; each is counted once."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    moved: int = 0


@dataclass(frozen=True, slots=True)
class PlanFinding:
    """A finding of `check` that is new in the later revision, or gone."""

    rule: str
    severity: str
    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Played:
    """All that was played for a plan.

    `scenarios` and `sessions` are how many were played on each side. `causes` of an outcome or difference are the
    numbers of the changes in the plan that it is attributed to, by its place in the list.
    """

    scenarios: int = 0
    sessions: int = 0
    outcomes: Sequence[ScenarioOutcome] = ()
    differences: Sequence[SessionsDifference] = ()
    outcome_causes: Sequence[Sequence[int]] = ()
    difference_causes: Sequence[Sequence[int]] = ()
    is_interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What lies between two revisions, with what could not be compared.

    `page_url` is where the page of `trialrun report` is kept that shows the same, for a review comment to link to.
    """

    base: str
    head: str
    changes: Sequence[Change]
    resources: ResourceCounts
    not_compared: Sequence[NotCompared] = ()
    new_findings: Sequence[PlanFinding] = ()
    gone_findings: Sequence[PlanFinding] = ()
    played: Played | None = None
    page_url: str | None = None

    def count(self, level: Level) -> int:
        """The number of changes of a level."""
        return sum(change.level is level for change in self.changes)
