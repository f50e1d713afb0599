"""Direct writes: each is kept beside the rows, if no newer value is served; what is served lays it over its row."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from trialrun.runtime.feature_view.store import value_codec
from trialrun.runtime.feature_view.store.interface import DirectWrite, InvalidWrite, RowLayout
from trialrun.runtime.feature_view.store.redis import bucket_scan
from trialrun.runtime.feature_view.store.redis.commands import Command, Part, script_command
from trialrun.runtime.feature_view.store.redis.keys import KeyNames, bucket_of, entity_field
from trialrun.runtime.feature_view.store.redis.manifest import Manifest
from trialrun.runtime.feature_view.store.redis.nodes import Nodes
from trialrun.runtime.feature_view.store.redis.row_codec import encode_value, moment_number
from trialrun.runtime.feature_view.store.redis.scripts import WRITE
from trialrun.runtime.feature_view.store.redis.served_rows import ServedRows, StoredWrite


def check_writes(layout: RowLayout, writes: Sequence[DirectWrite], *, now: datetime) -> list[tuple[int, bytes]]:
    """The place of the feature of each write, and its value in bytes. Raises InvalidWrite."""
    checked = [value_codec.check_write(layout, write, now=now) for write in writes]
    return [(place, encode_value(layout.features[place], stored)) for place, stored in checked]


def write_values(
    nodes: Nodes, keys: KeyNames, served: ServedRows, writes: Sequence[DirectWrite], *, now: datetime
) -> list[bool]:
    """Write values; each says whether it is served now. Raises InvalidWrite before any is written."""
    checked = check_writes(served.layout, writes, now=now)
    by_bucket: dict[int, list[int]] = {}
    fields = [_field(write, served.layout) for write in writes]
    for at, field in enumerate(fields):
        by_bucket.setdefault(bucket_of(field), []).append(at)
    if not by_bucket:
        return []
    last = _announce(nodes, keys, list(by_bucket), len(writes))
    commands = []
    for bucket, places in by_bucket.items():
        arguments: list[Part] = []
        for at in places:
            place, value = checked[at]
            column = served.layout.features[place]
            moment = moment_number(value_codec.to_microseconds(writes[at].at)).to_bytes(8, "big")
            sequence = (last - len(writes) + at + 1).to_bytes(8, "big")
            arguments += [fields[at], column.name, column.type_text, moment, sequence, value]
        layers = [keys.rows(bucket, layer.id) for layer in served.manifest.layers]
        log = keys.writes(bucket, served.manifest.log)
        commands.append(script_command(WRITE, [*layers, log], served.script_columns, *arguments))
    answers = nodes.run(commands, durable=True)
    is_served = [False] * len(writes)
    for places, answer in zip(by_bucket.values(), answers, strict=True):
        for at, is_kept in zip(places, answer, strict=True):
            is_served[at] = bool(is_kept)
    return is_served


def read_writes(nodes: Nodes, keys: KeyNames, manifest: Manifest, buckets: Sequence[int]) -> list[DirectWrite]:
    """The direct writes that are kept of features that are served, in the order in which they were made."""
    served = ServedRows(manifest)
    entries: list[tuple[bytes, StoredWrite]] = [
        (entry.field, write)
        for start in range(0, len(buckets), bucket_scan.BUCKETS_PER_TRIP)
        for entry in _written_entries(nodes, keys, manifest, buckets[start : start + bucket_scan.BUCKETS_PER_TRIP])
        for write in served.kept_writes(entry.writes)
    ]
    entries.sort(key=lambda pair: pair[1].sequence)
    return [
        DirectWrite(served.id_of(field), write.feature, served.value_of(write), served.moment_of(write))
        for field, write in entries
    ]


def _written_entries(
    nodes: Nodes, keys: KeyNames, manifest: Manifest, buckets: Sequence[int]
) -> list[bucket_scan.BucketEntry]:
    logs = [Command(key, ("HGETALL", key)) for key in (keys.writes(bucket, manifest.log) for bucket in buckets)]
    return [
        bucket_scan.BucketEntry(bucket, field, 0, None, text)
        for bucket, answer in zip(buckets, nodes.run(logs), strict=True)
        for field, text in zip(answer[::2], answer[1::2], strict=True)
    ]


def _announce(nodes: Nodes, keys: KeyNames, buckets: Sequence[int], count: int) -> int:
    """Say which buckets will have direct writes, so that loads look there, and take numbers for them; the last one."""
    written, sequence = keys.of_view("written"), keys.of_view("sequence")
    commands = [Command(written, ("SADD", written, *buckets)), Command(sequence, ("INCRBY", sequence, count))]
    return int(nodes.run(commands, durable=True)[1])


def _field(write: DirectWrite, layout: RowLayout) -> bytes:
    field = entity_field(write.id, layout.keys)
    if field is None:
        raise InvalidWrite("the entity id does not fit the entity id columns of the view")
    return field
