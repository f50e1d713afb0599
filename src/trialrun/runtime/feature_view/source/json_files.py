"""The columns of many JSON files: the engine holds 32 MiB for each file whose columns it finds, so some at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

AT_ONCE = 8
NUMBERS = {"BIGINT", "UBIGINT", "HUGEINT", "DOUBLE"}
TEXTS = {"VARCHAR", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "UUID"}
Described = tuple[str, str, bool]


def parts(files: Sequence[str]) -> Iterator[Sequence[str]]:
    """The files, a few at a time."""
    return (files[start : start + AT_ONCE] for start in range(0, len(files), AT_ONCE))


def merged(found: Iterable[Sequence[Described]]) -> list[Described]:
    """The columns of all parts, each of a type that holds the values of all of them."""
    types: dict[str, set[str]] = {}
    for columns in found:
        for name, written, _ in columns:
            types.setdefault(name, set()).add(written)
    return [(name, _common(of - {'"NULL"'}), False) for name, of in types.items()]


def _common(types: set[str]) -> str:
    """A type for values of several types, as the engine finds it for one file that has them all."""
    if len(types) < 2:
        return next(iter(types), "VARCHAR")
    inside = {re.sub(r"\[\]$", "", one) for one in types}
    if all(one.endswith("[]") for one in types):
        return f"{_common(inside)}[]"
    return "DOUBLE" if types <= NUMBERS else "VARCHAR" if types <= TEXTS else "JSON"
