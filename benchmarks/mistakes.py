"""Mistakes that people make, each with the one rule that finds it; a mistake spoils a sound resource in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.views import Resource


class DoesNotApply(Exception):
    """The resource has no place for this mistake."""


@dataclass(frozen=True)
class Mistake:
    """A mistake: the rule that finds it, the part of the resource it touches, and whether only YAML can hold it."""

    rule: str
    part: str
    make: Callable[[Resource], None]
    yaml_only: bool = False


Make = Callable[[Resource], None]


def registry() -> tuple[list[Mistake], Callable[..., Callable[[Make], Make]]]:
    """A list of mistakes, and a decorator that puts a function on it; of one part, only one mistake is made."""
    mistakes: list[Mistake] = []

    def mistake(rule: str, part: str, *, yaml_only: bool = False) -> Callable[[Make], Make]:
        def add(make: Make) -> Make:
            mistakes.append(Mistake(rule, part, make, yaml_only))
            return make

        return add

    return mistakes, mistake


def at(resource: Resource, *path: str | int) -> Any:
    """The value at a path; DoesNotApply where there is none."""
    value: Any = resource
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError):
            raise DoesNotApply from None
    return value


def rename(mapping: Resource, key: str, other: str) -> None:
    """Give a key another name; DoesNotApply where it is not there."""
    if key not in mapping:
        raise DoesNotApply
    mapping[other] = mapping.pop(key)
