"""Conditions that are in many files: checked before these are linted, since each worker would check all of them.

They are searched for in the bytes, without parsing. A text that is found where no condition is does no harm: its check
is thrown away. One that is not found, such as one on several lines, is checked by each worker that comes upon it.
They are checked by workers of their own, since a text of a file may crash the checker: then it is left to those who
lint its files, where the crash is reported.
Decided and measured on the 2,000 files of `benchmarks.corpus` with 500 conditions: 7 % of the CPU of two workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.values.cel import Schema
    from trialrun.workspace.condition_cache import ConditionCache

FIELD = b"conditionExpression"
MAX_CONDITIONS = 2000
"""More are not checked ahead; fewer than the results that the checker keeps."""
GROUP = 8
"""So many are checked by a worker at a time; fewer than two groups are not worth a process."""
MAX_LENGTH = 1000
"""Longer conditions are hardly shared."""


def check_shared_conditions(
    files: Iterable[bytes], cache: ConditionCache, schema: Schema, extensions: frozenset[str], *, jobs: int
) -> list[tuple[bytes, str]]:
    """Check what many of the files have and the cache does not; it keeps the rows, which are returned."""
    from trialrun.workspace import worker_pool

    texts = cache.unknown(shared_conditions(files, jobs=jobs), schema, extensions)
    groups = [texts[start : start + GROUP] for start in range(0, len(texts), GROUP)]
    if len(groups) < 2:
        return []

    def check(group: Sequence[str]) -> list[tuple[bytes, str]]:
        return cache.rows(group, schema, extensions)

    results = worker_pool.map_parallel(groups, check, size=lambda _: worker_pool.MIN_PARALLEL_BYTES, jobs=jobs)
    rows = [row for result in results if isinstance(result, list) for row in result]
    cache.add(rows)
    return rows


def shared_conditions(files: Iterable[bytes], *, jobs: int) -> list[str]:
    """The conditions that every one of so many workers is likely to come upon, the most frequent first."""
    if jobs < 2:
        return []
    lines = Counter(line for data in files for line in _lines(data))
    texts: Counter[str] = Counter()
    for line, count in lines.items():
        texts[_unquoted(line)] += count
    return [text for text, count in texts.most_common(MAX_CONDITIONS) if count >= 2 * jobs and text]


def _lines(data: bytes) -> Iterable[bytes]:
    """What is behind each key of a condition on its line."""
    for part in data.split(FIELD)[1:]:
        line = part[: part.find(b"\n")].lstrip(b"\"' \t")
        if line[:1] == b":" and len(line) <= MAX_LENGTH:
            yield line[1:].strip(b" \t\r,")


def _unquoted(line: bytes) -> str:
    """The text of a scalar on one line; empty for a scalar that is written in another way."""
    text = line.decode("utf-8", "replace")
    if text[:1] == "'" and text[-1:] == "'":
        return text[1:-1].replace("''", "'")
    if text[:1] == '"' and text[-1:] == '"':
        return "" if "\\" in text else text[1:-1]
    return "" if text[:1] in tuple("'\"|>&*!") else text.partition(" #")[0].rstrip()
