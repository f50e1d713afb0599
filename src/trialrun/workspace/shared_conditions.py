"""Conditions that are in many files: checked before workers are forked, since each worker would check all of them.

They are searched for in the bytes, without parsing. A text that is found where no condition is does no harm: its check
is thrown away. One that is not found, such as one on several lines, is checked by each worker that comes upon it.
Decided and measured on the 2,000 files of `benchmarks.corpus` with 500 conditions: 7 % of the CPU of two workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

FIELD = b"conditionExpression"
MAX_CONDITIONS = 2000
"""More are not checked ahead; fewer than the results that the checker keeps."""
MAX_LENGTH = 1000
"""Longer conditions are hardly shared."""


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
