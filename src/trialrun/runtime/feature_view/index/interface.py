"""The role of a vector index: it knows the vectors of one snapshot and answers nearest-neighbor queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from trialrun.record import dataclass

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.store.interface import EntityId

Operator = Literal["LESS", "LESS_EQUAL", "EQUAL", "GREATER_EQUAL", "GREATER", "NOT_EQUAL"]


@dataclass(frozen=True, slots=True)
class StringFilter:
    """Keeps entities whose text, or one of whose texts, is allowed, and drops those of which one is denied.

    Without allowed tokens everything is allowed that is not denied.
    """

    column: str
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NumericFilter:
    """Keeps entities whose number compares so with a value; one without a number is dropped."""

    column: str
    operator: Operator
    value: float


@dataclass(frozen=True)
class Query:
    """What to search: `vector` has the dimension of the index, `count` is how many neighbors are wanted at most.

    `per_crowding_attribute` is K: at most so many neighbors with one value of the crowding column. `leaves_fraction`
    overrides the fraction of leaves that is searched, from 0 to 1; `candidates` how many are ranked exactly.
    """

    vector: Sequence[float]
    count: int
    strings: tuple[StringFilter, ...] = ()
    numbers: tuple[NumericFilter, ...] = ()
    per_crowding_attribute: int | None = None
    leaves_fraction: float | None = None
    candidates: int | None = None


@dataclass(frozen=True, slots=True)
class Neighbor:
    """An entity near the query: smaller distances are nearer; equal ones are in the order of their entity ids."""

    id: EntityId
    distance: float


class NotSearchable(ValueError):
    """The query does not fit the index; the message says what is wrong, then what to do."""


class Index(Protocol):
    """Answers queries on the vectors of one snapshot."""

    dimension: int

    def search(self, query: Query, *, exactly: bool = False) -> list[Neighbor]:
        """The nearest entities; `exactly` looks at every vector, whatever the algorithm. Raises NotSearchable."""
        ...

    def vector(self, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity, None for one that is not in the index."""
        ...


@dataclass(frozen=True)
class Vectors:
    """What an index is built from, row by row: ids, vectors (None where a row has none) and columns for queries."""

    ids: Sequence[EntityId]
    vectors: object
    filters: Mapping[str, Sequence[object]]
    crowding: Sequence[object] | None
