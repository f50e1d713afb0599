"""What rows say about all shards together: the dimension of the vectors, the types of columns, and how many there are.

A shard alone could decide otherwise than the whole: its first value may be of another type, its most common dimension
another one. Profiles are taken where the rows are, and merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import islice
from typing import NamedTuple

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.distance import Floats, can_be_estimated, row_norms, squared_norms
from trialrun.runtime.feature_view.index.encode import FLOATS, NUMBERS, describe_type, is_float, is_null
from trialrun.runtime.feature_view.index.load_vectors import Row, valid_rows, vector_length
from trialrun.runtime.feature_view.index.parameters import IndexParameters
from trialrun.runtime.feature_view.store.interface import EntityId

BLOCK_ROWS = 4096


class ColumnProfile(NamedTuple):
    """The first value of a column: its entity and its type; and whether a float is among the values."""

    first: EntityId
    type: str
    has_floats: bool


@dataclass(frozen=True)
class LengthProfile:
    """The rows whose vectors have one length: the first of them, and of the valid ones what there is to say."""

    first: EntityId
    valid: int
    is_estimable: bool
    columns: Mapping[str, ColumnProfile]


RowProfile = Mapping[int, LengthProfile]
"""By the length of the vectors."""


class RowBlock(NamedTuple):
    """Some valid rows with vectors of one length, and the profile of all such rows, valid or not."""

    length: int
    rows: list[Row]
    matrix: Floats
    profile: LengthProfile


@dataclass(frozen=True)
class DecidedTypes:
    """What holds for every shard: the dimension, the types of filter columns, and how many valid vectors there are.

    `is_estimable` says whether a tree may be trained.
    """

    dimension: int
    types: Mapping[str, str]
    valid: int
    is_estimable: bool


def profile_rows(rows: Iterable[Row], shape: IndexParameters, columns: Sequence[str]) -> RowProfile:
    """The profile of some rows, which come as `build_shard` takes them. It can be pickled."""
    return reduce(merge_profiles, ({block.length: block.profile} for block in row_blocks(rows, shape, columns)), {})


def row_blocks(rows: Iterable[Row], shape: IndexParameters, columns: Sequence[str]) -> Iterator[RowBlock]:
    """The rows in blocks of one length each, in their order."""
    remaining = iter(rows)
    while block := list(islice(remaining, BLOCK_ROWS)):
        lengths: dict[int, list[Row]] = {}
        for row in block:
            length = vector_length(row[1])
            if length and shape.dimension in (None, length):
                lengths.setdefault(length, []).append(row)
        for length, same in lengths.items():
            valid, matrix = valid_rows(same)
            yield RowBlock(length, valid, matrix, _profile(same, valid, matrix, shape, columns))


def _profile(
    rows: Sequence[Row], valid: Sequence[Row], matrix: Floats, shape: IndexParameters, columns: Sequence[str]
) -> LengthProfile:
    by_name = {name: _column_profile(valid, list(columns).index(name) + 2) for name in shape.filters}
    return LengthProfile(
        _id(rows[0]),
        len(valid),
        can_be_estimated(row_norms(squared_norms(matrix))),
        {name: profile for name, profile in by_name.items() if profile is not None},
    )


def _column_profile(rows: Sequence[Row], at: int) -> ColumnProfile | None:
    first = next((row for row in rows if not is_null(row[at])), None)
    if first is None:
        return None
    return ColumnProfile(_id(first), describe_type(first[at]), any(is_float(row[at]) for row in rows))


def _id(row: Row) -> EntityId:
    id: EntityId = row[0]  # type: ignore[assignment]
    return id


def merge_profiles(profile: RowProfile, other: RowProfile) -> RowProfile:
    """The profile of the rows of both."""
    merged = dict(profile)
    for length, further in other.items():
        merged[length] = _merge_lengths(merged[length], further) if length in merged else further
    return merged


def _merge_lengths(profile: LengthProfile, other: LengthProfile) -> LengthProfile:
    columns = dict(profile.columns)
    for name, further in other.columns.items():
        known = columns.get(name, further)
        first = min(known, further, key=lambda column: column.first)
        columns[name] = first._replace(has_floats=known.has_floats or further.has_floats)
    return LengthProfile(
        min(profile.first, other.first),
        profile.valid + other.valid,
        profile.is_estimable and other.is_estimable,
        columns,
    )


def decide_types(profile: RowProfile, shape: IndexParameters) -> DecidedTypes:
    """What holds for every shard of these rows, which is what one index of all of them decides."""
    if not profile:
        return DecidedTypes(shape.dimension or 0, {}, 0, is_estimable=True)
    length, most = min(profile.items(), key=lambda item: (-item[1].valid, item[1].first))
    types = {name: _decided_type(column) for name, column in most.columns.items()}
    return DecidedTypes(length, types, most.valid, most.is_estimable)


def _decided_type(column: ColumnProfile) -> str:
    return FLOATS if column.type == NUMBERS and column.has_floats else column.type
