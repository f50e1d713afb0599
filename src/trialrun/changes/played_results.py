"""What is played on both sides of a plan: scenarios that end in another way, and sessions that go in another way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Example

Outcome = Literal["passed", "failed", "error"]
Version = Literal["both", "base", "head"]


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
        return _offered(self.before) != _offered(self.after)


def _offered(counts: OfferCounts | None) -> int:
    return counts.offered if counts else 0


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
