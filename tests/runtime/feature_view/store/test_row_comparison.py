"""Rows of a load and the answers that have the old ones: counted as by comparing each, however the answer comes."""

from __future__ import annotations

import random
import socket
from collections.abc import Sequence
from itertools import product

import pytest

from tests.cases import each_of, number_of_cases
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import RowLayout
from trialrun.runtime.feature_view.store.redis.commands import pack_texts
from trialrun.runtime.feature_view.store.redis.raw_answers import RawAnswers
from trialrun.runtime.feature_view.store.redis.row_codec import row_codec
from trialrun.runtime.feature_view.store.redis.row_comparison import ChangedRows, _Comparison, rows_differ

ID, TEXT, NUMBER, WHOLE = Column("id", "STRING"), Column("t", "STRING"), Column("x", "DOUBLE"), Column("n", "INT64")
LAYOUTS = [
    RowLayout((ID,), features)
    for features in ((NUMBER, TEXT, WHOLE), (TEXT,), (NUMBER, Column("y", "DOUBLE")), (WHOLE,), ())
]
VALUES: dict[str, list[object]] = {
    "x": [0.0, -0.0, 1.5, float("nan"), None, -5e-324],
    "y": [0.0, -0.0, 2.5],
    "t": ["a", "b", "$", "1", "", "longer"],
    "n": [0, -(2**63), 7, None],
}


def encoded(layout: RowLayout, dice: random.Random, count: int, read_at: int, varied: int) -> list[bytes]:
    """Rows of a load at a moment, with so many values to choose from."""
    features = [[dice.choice(VALUES[column.name][:varied]) for column in layout.features] for _ in range(count)]
    rows = [(f"e{at}", read_at, *values) for at, values in enumerate(features)]
    return [*row_codec(layout).encode(rows, read_at)]


def compared(
    layout: RowLayout, rows: Sequence[bytes], old: Sequence[bytes | None], late: int
) -> tuple[ChangedRows, list[bytes], list[bytes]]:
    """What a comparison says of rows and an answer, whose last bytes come late, and another one after it."""
    answer = b"*%d\r\n" % len(old) + b"".join(b"$-1\r\n" if one is None else b"".join(pack_texts([one])) for one in old)
    sender, receiver = socket.socketpair()
    with sender, receiver:
        raw = RawAnswers(receiver)
        raw.data = answer[: max(0, len(answer) - late)]
        sender.sendall(answer[len(raw.data) :] + b":42\r\n")
        fields = [*pack_texts([b"e%d" % at for at in range(len(rows))])]
        arguments = [each for pair in zip(fields, pack_texts(rows), strict=True) for each in pair]
        part = _Comparison(row_codec(layout)).compare(raw, arguments)
        assert raw.error() is None
        assert raw.next_number() == 42
        return part.counts, [*part.missing[::2]], fields


@pytest.mark.generated
@each_of(product(range(number_of_cases(200)), [0, 1, 5, 200, 1_000_000]))
def test_as_many_rows_differ_as_one_by_one(seed: int, late: int) -> None:
    dice = random.Random(seed)
    layout, count, varied = dice.choice(LAYOUTS), dice.choice([1, 2, 3, 5, 60]), dice.randint(1, 6)
    rows = encoded(layout, dice, count, 2, varied)
    old: list[bytes | None] = [*encoded(layout, dice, count, 1, varied)]
    if seed % 3 == 0:
        old = [row if dice.random() < 0.9 else None for row in old]
    elif seed % 3 == 1:
        dice.shuffle(old)  # so that lengths differ and their sum does not
    counts, missing, fields = compared(layout, rows, old, late)
    pairs = [(row, before) for row, before in zip(rows, old, strict=True) if before is not None]
    differing = sum(rows_differ(row_codec(layout), row, before) for row, before in pairs)
    assert counts == ChangedRows(len(pairs), differing)
    assert missing == [field for field, before in zip(fields, old, strict=True) if before is None]


def test_lengths_may_be_exchanged() -> None:
    layout = RowLayout((ID,), (TEXT,))
    texts, old_texts = ["a", "same", "longer", "b"], ["longer", "same", "a", "b"]
    rows = row_codec(layout).encode([("e", 2, text) for text in texts], 2)
    old = row_codec(layout).encode([("e", 1, text) for text in old_texts], 1)
    assert compared(layout, [*rows], [*old], 0)[0] == ChangedRows(4, 2)
