"""The role of a vector index: it knows the vectors of one snapshot and answers nearest-neighbor queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from trialrun.lazy_dataclass import dataclass

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
    """Keeps entities whose number compares so with a value; one without a number is dropped, and so is NaN."""

    column: str
    operator: Operator
    value: int | float


@dataclass(frozen=True)
class Query:
    """What to search: `vector` has the dimension of the index, `count` is how many neighbors are wanted at most.

    `per_crowding_attribute` is K: at most so many neighbors with one value of the crowding column. `leaves_fraction`
    overrides the fraction of leaves that is searched without a filter, from 0 to 1; `candidates` how many are ranked
    exactly, which are never fewer than `count`.
    """

    vector: Sequence[float]
    count: int
    strings: tuple[StringFilter, ...] = ()
    numbers: tuple[NumericFilter, ...] = ()
    per_crowding_attribute: int | None = None
    leaves_fraction: float | None = None
    candidates: int | None = None


class Neighbor(NamedTuple):
    """An entity near the query: smaller distances are nearer; equal ones are in the order of their entity ids."""

    id: EntityId
    distance: float


def neighbors(ids: Iterable[EntityId], distances: Iterable[float]) -> list[Neighbor]:
    """The entities with their distances; tuples are made without a call of Python for each."""
    return [_new_tuple(Neighbor, pair) for pair in zip(ids, distances, strict=True)]


_new_tuple = tuple.__new__


class NotSearchable(ValueError):
    """The query does not fit the index, or there is none; the message says what is wrong, then what to do.

    `steps` lead to the part of the index config that is to blame, or of the view in what `search` raises.
    """

    def __init__(self, message: str, *, steps: Sequence[str | int] = ()) -> None:
        super().__init__(message)
        self.steps = tuple(steps)


class Index(Protocol):
    """Answers queries on the vectors of one snapshot."""

    @property
    def dimension(self) -> int:
        """How many elements a vector has; 0 where there is no vector that tells."""
        ...

    @property
    def size(self) -> int:
        """How many vectors there are."""
        ...

    def search(self, query: Query, *, exactly: bool = False) -> list[Neighbor]:
        """The nearest entities; `exactly` looks at every vector, whatever the algorithm. Raises NotSearchable."""
        ...

    def vector(self, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity, None for one that is not in the index."""
        ...


@dataclass(frozen=True)
class Vectors:
    """What an index is built from: the rows of a Scan that was asked for the embedding and then for `columns`.

    A row whose embedding is null, of another length or not finite is left out.
    """

    columns: Sequence[str]
    rows: Iterable[tuple[object, ...]]
