"""What a load changes, counted by those who write its rows: they ask for the old rows, and compare bytes.

A script on a node makes a text of its own of every row that it reads, which takes longer than setting the row; an
answer of HMGET is bytes that are compared where they arrived. Direct writes are no part of it; see `compare_layers`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import islice
from operator import ne, or_

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store.interface import RowLayout
from trialrun.runtime.feature_view.store.redis.commands import Command
from trialrun.runtime.feature_view.store.redis.keys import KeyNames
from trialrun.runtime.feature_view.store.redis.nodes import Nodes
from trialrun.runtime.feature_view.store.redis.raw_answers import RawAnswers
from trialrun.runtime.feature_view.store.redis.row_codec import RowCodec, row_codec

COMMANDS_PER_TRIP = 128
REMEMBERED_STRUCTS = 64
NEGATIVE_ZERO, ZERO = b"\x80" + bytes(7), bytes(8)
Arguments = Sequence[bytes]
"""Entities and their rows in turns, as arguments of a command: its length, the text, and the end of a line."""


@dataclass(frozen=True)
class ChangedRows:
    """How many of some rows are of entities that had one before, and how many of those differ."""

    before: int = 0
    differing: int = 0

    def __add__(self, other: ChangedRows) -> ChangedRows:
        return ChangedRows(self.before + other.before, self.differing + other.differing)


def compare_rows(
    nodes: Nodes, keys: KeyNames, layout: RowLayout, layers: Sequence[str], batch: Sequence[tuple[int, Arguments]]
) -> ChangedRows:
    """Compare rows, by bucket, with the highest of some layers of the same layout that has the entity."""
    comparison, counts = _Comparison(row_codec(layout)), ChangedRows()
    for layer in layers:
        missing: list[tuple[int, Arguments]] = []
        commands = (_command(keys, layer, bucket, rows, comparison) for bucket, rows in batch)
        sent = iter(batch)
        while trip := list(islice(commands, COMMANDS_PER_TRIP)):
            for part, (bucket, _) in zip(nodes.run(trip), islice(sent, len(trip)), strict=True):
                counts += part.counts
                missing += [(bucket, part.missing)] if part.missing else []
        batch = missing
    return counts


def rows_differ(codec: RowCodec, row: bytes, old: bytes) -> bool:
    """Whether the values of two rows of a layout differ; -0.0 is 0.0."""
    values, old_values = row[codec.values_start :], old[codec.values_start :]
    return values != old_values and _differ(codec, values, old_values)


def _differ(codec: RowCodec, values: bytes, old: bytes) -> bool:
    """Whether values differ whose bytes do."""
    if len(values) != len(old) or not (NEGATIVE_ZERO in values or NEGATIVE_ZERO in old):
        return True
    return _normalized(codec, values) != _normalized(codec, old)


def _normalized(codec: RowCodec, values: bytes) -> bytes:
    for place in codec.double_places:
        if values[place - 1 : place + 7] == NEGATIVE_ZERO:
            values = values[: place - 1] + ZERO + values[place + 7 :]
    return values


@dataclass(frozen=True)
class _Part:
    """What an answer says of some rows, and those of entities without an old row."""

    counts: ChangedRows
    missing: Arguments


def _command(keys: KeyNames, layer: str, bucket: int, rows: Arguments, comparison: _Comparison) -> Command:
    key = keys.rows(bucket, layer)

    def compare(answers: RawAnswers) -> _Part:
        return comparison.compare(answers, rows)

    return Command(key, ("HMGET", key), packed=rows[::2], packed_count=len(rows) // 2, read=compare)


class _Comparison:
    """Compares rows of a layout with answers, which hold a row in the same bytes as an argument does."""

    def __init__(self, codec: RowCodec) -> None:
        self._codec = codec
        self._starts = _Starts(codec.values_start)
        self._structs = _RowStructs(codec, self._starts)
        places = codec.double_places
        self._signs = (places[0] - 1, places[-1]) if places else (0, 0)

    def compare(self, answers: RawAnswers, rows: Arguments) -> _Part:
        """Compare rows with the answer that has one, or none, for each of their entities."""
        answers.next_number()
        differing = self._compare_at_once(answers, rows[1::2])
        if differing is None:
            return self._compare_each(answers, rows)
        return _Part(ChangedRows(len(rows) // 2, differing), ())

    def _compare_at_once(self, answers: RawAnswers, rows: Arguments) -> int | None:
        """How many rows differ from an answer that has one of the same length for each; None for other answers.

        The steps of Python are by column, not by row. Where the head of each row stands in the answer as it does in the
        arguments, all lengths are the same; one that is not moves what follows.
        """
        lengths = (*map(len, rows),)
        form, data, at = self._structs[lengths], answers.data, answers.at
        last_head, _ = self._starts[lengths[-1]]
        if not data.startswith(last_head, at + form.size - lengths[-1]) or len(data) - at < form.size:
            return None
        heads, numbers, texts = _columns(form.unpack(b"".join(rows)))
        old_heads, old_numbers, old_texts = _columns(form.unpack_from(data, at))
        if heads != old_heads:
            return None
        answers.at = at + form.size
        if numbers == old_numbers and texts == old_texts:
            return 0
        if self._may_be_negative_zero(numbers) or self._may_be_negative_zero(old_numbers):
            pairs = zip(numbers, texts, old_numbers, old_texts, strict=True)
            values = ((new + text, old + old_text) for new, text, old, old_text in pairs)
            return sum(new != old and _differ(self._codec, new, old) for new, old in values)
        differing: int = sum(map(or_, map(ne, numbers, old_numbers), map(ne, texts, old_texts)))
        return differing

    def _may_be_negative_zero(self, numbers: Sequence[bytes]) -> bool:
        """Whether the first byte of a double is that of -0.0, in the numbers of some rows."""
        joined, width = b"".join(numbers), len(numbers[0])
        return any(128 in joined[place - 1 :: width] for place in self._codec.double_places)

    def _compare_each(self, answers: RawAnswers, rows: Arguments) -> _Part:
        """Compare rows one after another."""
        differing = 0
        missing: list[bytes] = []
        starts, (first, last) = self._starts, self._signs
        data, at = answers.data, answers.at
        received, is_at = len(data), data.startswith
        for entity, row in zip(rows[::2], rows[1::2], strict=True):
            head, skip = starts[len(row)]
            end = at + len(row)
            if end > received or not is_at(head, at):
                answers.at = at
                if (change := self._compare_next(answers, row, head)) is None:
                    missing += entity, row
                differing += change or 0
                data, at = answers.data, answers.at
                received, is_at = len(data), data.startswith
                continue
            values, start = row[skip:], at + skip
            if not is_at(values, start):
                differing += 1
                if 128 in values[first:last:8] or 128 in data[start + first : start + last : 8]:  # where -0.0 may be
                    differing -= not _differ(self._codec, values[:-2], data[start : end - 2])
            at = end
        answers.at = at
        return _Part(ChangedRows((len(rows) - len(missing)) // 2, differing), missing)

    def _compare_next(self, answers: RawAnswers, row: bytes, head: bytes) -> bool | None:
        """Whether a row differs from the old one that comes next; None where there is none."""
        old = answers.next_text()
        return None if old is None else rows_differ(self._codec, row[len(head) : -2], old)


class _Starts(dict[int, tuple[bytes, int]]):
    """What an argument of a length begins with, and where the values of its row begin."""

    def __init__(self, values_start: int) -> None:
        super().__init__()
        self._values_start = values_start

    def __missing__(self, length: int) -> tuple[bytes, int]:
        digits = next(count for count in range(1, length) if len(str(length - 5 - count)) == count)
        head = b"$%d\r\n" % (length - 5 - digits)
        self[length] = start = head, len(head) + self._values_start
        return start


class _RowStructs(dict[tuple[int, ...], struct.Struct]):
    """How rows stand in arguments and in answers, by their lengths: three fields for each, see `_columns`."""

    def __init__(self, codec: RowCodec, starts: _Starts) -> None:
        super().__init__()
        self._codec, self._starts = codec, starts

    def __missing__(self, lengths: tuple[int, ...]) -> struct.Struct:
        formats = {length: self._format(length) for length in {*lengths}}
        if len(self) == REMEMBERED_STRUCTS:
            self.clear()
        self[lengths] = form = struct.Struct("<" + "".join(map(formats.__getitem__, lengths)))
        return form

    def _format(self, length: int) -> str:
        head, values = self._starts[length]
        numbers = self._codec.numbers_size
        return f"{len(head)}s{values - len(head)}x{numbers}s{length - values - numbers - 2}s2x"


def _columns(fields: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], ...]:
    """The heads of rows, the numbers of their values, and the texts of these."""
    return fields[::3], fields[1::3], fields[2::3]
