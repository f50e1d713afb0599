"""Keys that a message does not have: the field each was meant to be, or the message that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from trialrun.diagnostic import Path
from trialrun.model.misfit import Misfit, MissingField, UnknownField
from trialrun.model.misplaced_field import Home, homes
from trialrun.model.node import Node, facts, parts
from trialrun.model.proto_json import shape
from trialrun.model.suggest import by_words, closest, same, snake_case, squash

ENVELOPE = "kind"
Meanings = Mapping[Path, tuple[str, ...]]
"""The fields that misspelt keys were meant to be, by their paths; none for the name of a union."""
MOST_LISTED = 12
"""As many fields are listed in a message."""


@cache
def names(model: type[Node]) -> Mapping[str, str]:
    """Both spellings of every field, and the field: camelCase wins where one is the other's."""
    return {snake_case(name): name for name in model.model_fields} | {name: name for name in model.model_fields}


def unknown_field(
    key: str,
    value: Mapping[str, Any],
    model: type[Node],
    path: Path,
    *,
    root: type[Node],
    base: Path,
    meanings: Meanings,
) -> UnknownField:
    """The misfit of a key of `value`, a message at `path` that has no such field; `base` leads to the root message."""
    if union := union_named(key, value[key], model):
        return UnknownField((*path, key), model, None, False, union=union)
    here = field_steps(path, root, base, meanings)
    candidate = same(key, model.model_fields)
    elsewhere = homes(key, root, here) if candidate is None and here is not None else []
    if candidate is None and not _is_inside(elsewhere):
        candidate = _alike(key, _current(model), or_close=not elsewhere) or _left(key, value, model)
    if candidate is None:
        is_read = len(elsewhere) == 1 and _has_form(value[key], elsewhere[0].model, elsewhere[0].field)
        return UnknownField((*path, key), model, None, False, tuple(elsewhere), is_read=is_read)
    free = candidate not in _standing(value, model)
    return UnknownField((*path, key), model, candidate, free, is_read=_is_clear(key, value[key], model, candidate))


@cache
def _union_names(model: type[Node]) -> Mapping[str, str]:
    """The ways to spell the unions of a message, squashed, and the name of each."""
    return {squash(name) + end: name for name in model.unions for end in ("", "union", "oneof", "kind", "choice")}


def union_named(key: str, value: Any, model: type[Node]) -> str | None:
    """The union of a message that a key names, where a field of the message stands below it.

    The specifications name the unions (`source`, `algorithm_config`), and files have their members alone.
    """
    union = _union_names(model).get(squash(key))
    if union is None or not isinstance(value, Mapping):
        return None
    return union if any(_spells(entry, value, model) for entry in value) else None


def _spells(key: str, value: Mapping[str, Any], model: type[Node]) -> bool:
    return (
        key in names(model)
        or same(key, model.model_fields) is not None
        or _alike(key, _current(model), or_close=True) is not None
    )


def _is_clear(key: str, value: Any, model: type[Node], candidate: str) -> bool:
    """Whether a value may be read as the candidate for its key: by spelling, or by a word of it and by its form.

    What should not stand in a file at all is not read: that is one mistake. Null says nothing.
    """
    if value is None or candidate not in _current(model):
        return False
    return bool(same(key, (candidate,)) or closest(key, (candidate,))) or _has_form(value, model, candidate)


def _has_form(value: Any, model: type[Node], name: str) -> bool:
    """Whether a value is a list, a mapping or a scalar where the field is one, and may stand in a file at all."""
    of = shape(model, name)
    if value is None or name not in _current(model):
        return False
    if of.listed or isinstance(value, list):
        return of.listed and isinstance(value, list)
    return isinstance(value, Mapping) == (of.model is not None or of.values is not None)


def _alike(key: str, names: tuple[str, ...], *, or_close: bool) -> str | None:
    """The one field that has a word of the key, else, `or_close`, the one that is close by spelling."""
    found = by_words(key, names)
    if found:
        return found[0] if len(found) == 1 else None
    return closest(key, names) if or_close else None


def _standing(value: Mapping[str, Any], model: type[Node]) -> set[str]:
    """The fields that stand in a message, in either spelling; their number is bounded, that of its keys is not."""
    return {field for spelling, field in names(model).items() if spelling in value}


def _left(key: str, value: Mapping[str, Any], model: type[Node]) -> str | None:
    """The one field that has a word of the key, does not stand beside it, and is a list if the value is one."""
    standing = _standing(value, model)
    found = [name for name in by_words(key, _current(model)) if name not in standing]
    if isinstance(value[key], list):
        found = [name for name in found if shape(model, name).listed]
    return found[0] if len(found) == 1 else None


def _is_inside(found: list[Home]) -> bool:
    """Whether the field belongs one level deeper or higher, in a message that is no item of a list."""
    return len(found) == 1 and found[0].distance == 1 and not found[0].listed


@cache
def _current(model: type[Node]) -> tuple[str, ...]:
    """The fields of a message that a file should have: neither deprecated nor set by the service."""
    return tuple(name for name in model.model_fields if name != ENVELOPE and _belongs_in_a_file(model, name))


def field_list(model: type[Node]) -> str:
    """The fields that a file may set in a message, as words; of very many the first ones."""
    names = _current(model)
    return ", ".join(names[:MOST_LISTED]) + (", …" if len(names) > MOST_LISTED else "")


def _belongs_in_a_file(model: type[Node], name: str) -> bool:
    known = facts(model, name)
    return known.replaced_by is None and known.mode != "output only"


def field_steps(path: Path, root: type[Node], base: Path, meanings: Meanings) -> tuple[str, ...] | None:
    """The fields of the specification on a path of the file, without indexes; None where it leads out of the model."""
    model: type[Node] | None = root
    steps = []
    for depth, step in enumerate(path[len(base) :], start=len(base)):
        if isinstance(step, int):
            continue
        name = names(model).get(step) if model else None
        if model is not None and name is None and (meaning := meanings.get(path[: depth + 1])) is not None:
            if not meaning:
                continue
            name = meaning[0]
        if model is None or name is None:
            return None
        steps.append(name)
        model = next((part for field, _, part in parts(model) if field == name), None)
    return tuple(steps)


def meant_here(misfits: Iterable[Misfit], path: Path, root: type[Node], base: Path, meanings: Meanings) -> set[str]:
    """The fields of the message at `path` that its unknown keys were meant to be, or belong under.

    Not those that should not stand in a file at all, which nothing is missing without.
    """
    here = field_steps(path, root, base, meanings)
    meant = set()
    for misfit in misfits:
        if not isinstance(misfit, UnknownField) or misfit.path[:-1] != path:
            continue
        if misfit.candidate:
            meant |= {misfit.candidate} & {*_current(misfit.model)}
        elif here is not None and len(misfit.homes) == 1 and misfit.homes[0].steps[: len(here)] == here:
            meant |= {*misfit.homes[0].steps[len(here) : len(here) + 1]} & {*_current(misfit.model)}
    return meant


def without_moved(misfits: list[Misfit], root: type[Node], base: Path, meanings: Meanings) -> list[Misfit]:
    """The misfits but for missing fields that stand in the wrong message, of which the key there tells already."""
    moved = {
        (misfit.homes[0].steps, misfit.homes[0].field)
        for misfit in misfits
        if isinstance(misfit, UnknownField) and len(misfit.homes) == 1
    }
    if not moved:
        return misfits
    return [
        misfit
        for misfit in misfits
        if not isinstance(misfit, MissingField)
        or misfit.stands
        or (field_steps(misfit.path, root, base, meanings), misfit.name) not in moved
    ]
