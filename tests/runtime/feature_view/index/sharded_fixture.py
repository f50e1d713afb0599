"""Indexes of one shard and of several over the same rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.runtime.feature_view.index.index_fixture import COSINE, DOT, L2, config
from trialrun.runtime.feature_view.index.build import build_index
from trialrun.runtime.feature_view.index.interface import NumericFilter, Query, StringFilter, Vectors
from trialrun.runtime.feature_view.index.parameters import index_parameters
from trialrun.runtime.feature_view.index.shard import Sharding
from trialrun.runtime.feature_view.index.shard_build import build_sharded_index
from trialrun.runtime.feature_view.index.sharded import ShardedIndex, load_any_index
from trialrun.runtime.feature_view.index.vector_index import VectorIndex

COLUMNS = ["text", "texts", "whole", "double", "mixed", "flag"]
Row = tuple[object, ...]


def one_index(rows: Sequence[Row], columns: Sequence[str] = COLUMNS, **fields: Any) -> VectorIndex:
    """The index of rows that begin with an entity id and a vector."""
    return build_index(Vectors(columns, rows), config(**({"filterColumns": [*columns]} | fields)))


def sharded(
    folder: Path, rows: Sequence[Row], sharding: Sharding, columns: Sequence[str] = COLUMNS, **fields: Any
) -> ShardedIndex:
    """The same in shards."""
    shape = index_parameters(config(**({"filterColumns": [*columns]} | fields)))
    build_sharded_index(Vectors(columns, rows), shape, folder, sharding=sharding)
    index = load_any_index(folder, sharding=sharding)
    assert isinstance(index, ShardedIndex)
    return index


def random_rows(dice: random.Random) -> list[Row]:
    """Rows with ties, nulls and vectors of several lengths, in the order of their ids."""
    draw = dice.choice([lambda: float(dice.randrange(3)), lambda: dice.gauss(0, 1)])
    length = dice.randrange(1, 5)
    of_text = dice.random() < 0.5
    ids = sorted(
        {
            (f"k{dice.randrange(300)}", dice.randrange(9)) if of_text else (dice.randrange(400),)
            for _ in range(dice.randrange(120))
        }
    )
    return [(id, _random_vector(dice, length, draw), *_random_values(dice)) for id in ids]


def _random_vector(dice: random.Random, length: int, draw: Any) -> object:
    odd = dice.random()
    if odd < 0.05:
        return dice.choice([None, [], [None] * length, [float("nan")] * length, [1e300] * length, ["x"] * length])
    return [draw() for _ in range(length + (odd > 0.8))]


def _random_values(dice: random.Random) -> list[object]:
    values = [
        dice.choice(["a", "b", "c"]),
        dice.sample(["p", "q", "r"], dice.randrange(3)),
        dice.choice([0, 1, 2, 2**60, 2**60 + 1]),
        dice.choice([0.0, -0.0, 0.5, float("nan"), float("inf")]),
        dice.choice([1, 1.0, 2, 2.5, True, 2**53 + 1]),
        dice.random() < 0.5,
    ]
    return [None if dice.random() < 0.15 else value for value in values]


def random_query(dice: random.Random, rows: Sequence[Row], dimension: int) -> Query:
    """A query that may name filters, crowding and more neighbors than there are."""
    vectors = [row[1] for row in rows if isinstance(row[1], list) and len(row[1]) == dimension]
    vector = dice.choice(vectors) if vectors and dice.random() < 0.5 else [dice.gauss(0, 1) for _ in range(dimension)]
    numeric = NumericFilter(dice.choice(["whole", "double", "mixed"]), "GREATER_EQUAL", dice.choice([0, 0.5, 2**53, 1]))
    string = StringFilter(dice.choice(["text", "texts"]), *dice.choice([(("a", "p"),), ((), ("b", "q"))]))
    return Query(
        [element if isinstance(element, float) and abs(element) < 1e30 else 1.0 for element in vector],  # type: ignore[union-attr]
        dice.choice([1, 3, 10, 200]),
        (string,) if dice.random() < 0.3 else (),
        (numeric,) if dice.random() < 0.3 else (),
        per_crowding_attribute=dice.choice([None, 1, 2, 5]),
    )


def random_fields(dice: random.Random) -> dict[str, Any]:
    """Fields of an index config."""
    return {
        "distanceMeasureType": dice.choice([L2, COSINE, DOT]),
        "crowdingColumn": dice.choice(COLUMNS),
        **dice.choice([{}, {"embeddingDimension": dice.randrange(1, 5)}, {"treeAhConfig": {}}]),
    }
