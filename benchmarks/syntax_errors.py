"""What somebody wrote beside what was meant: a tree that holds both, and each of the two taken out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from benchmarks.yaml_writer import Raw

GONE: Final = object()
"""What is meant by an entry or an item that should not be there."""


@dataclass(frozen=True)
class Slip:
    """A value that was written in place of the one that was meant."""

    written: Any
    meant: Any


@dataclass(frozen=True)
class SlipOfKey:
    """The same of a key."""

    written: str
    meant: str


def written(tree: Any) -> Any:
    """The value as it was written."""
    if isinstance(tree, Slip):
        return written(tree.written)
    if isinstance(tree, dict):
        return {key.written if isinstance(key, SlipOfKey) else key: written(value) for key, value in tree.items()}
    return [written(item) for item in tree] if isinstance(tree, list) else tree


def meant(tree: Any) -> Any:
    """The value as it was meant, which is what fixing must give."""
    if isinstance(tree, Slip):
        return meant(tree.meant)
    if isinstance(tree, dict):
        kept = {key: meant(value) for key, value in tree.items()}
        return {_meant_key(key): value for key, value in kept.items() if value is not GONE}
    if isinstance(tree, list):
        return [item for item in map(meant, tree) if item is not GONE]
    return tree.value if isinstance(tree, Raw) else tree


def _meant_key(key: str | SlipOfKey) -> str:
    return key.meant if isinstance(key, SlipOfKey) else key


def rename(mapping: dict[Any, Any], key: str, other: str) -> None:
    """Write another key in place of one, at its place among the others."""
    entries = list(mapping.items())
    mapping.clear()
    mapping.update({SlipOfKey(other, key) if name == key else name: value for name, value in entries})


def put(mapping: dict[Any, Any], index: int, key: Any, value: Any) -> None:
    """Put an entry before the one with an index."""
    entries = list(mapping.items())
    mapping.clear()
    mapping.update([*entries[:index], (key, value), *entries[index:]])
