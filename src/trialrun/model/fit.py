"""Values into a model: in one compiled pass when all is well, else field by field with every misfit told.

`fit` never raises on a value made of dicts, lists and scalars. What a model refuses is set aside and the rest is kept,
so that one mistake never hides another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from trialrun.diagnostic import Path, Place
from trialrun.model import fields
from trialrun.model.misfit import (
    MissingField,
    Misfit,
    NonCanonicalForm,
    NullValue,
    TwoSpellings,
    UnknownField,
    WrongType,
)
from trialrun.model.near import nearest, snake_case
from trialrun.model.node import Node, facts, parts

ENVELOPE = "kind"
ABSENT = object()


@dataclass
class Fitted:
    """A model made of a value, what did not fit, and the way from the model back to the file.

    `keys` has the fields that the file spells in another way, `kept` the indexes of the items that a list kept where
    some were set aside; both by the identity of the message they belong to.
    """

    node: Node
    root: Path
    misfits: list[Misfit] = field(default_factory=list)
    keys: dict[tuple[int, str], str] = field(default_factory=dict)
    kept: dict[tuple[int, str], list[int]] = field(default_factory=dict)
    _paths: dict[int, Path] = field(default_factory=dict)

    def path(self, place: Place) -> Path:
        """The path, in the words of the file, of a place of this model."""
        if place.node is None:
            return place.steps
        if not self._paths:
            self._paths = {id(node): path for node, path in self._walk(self.node, self.root)}
        return self._follow(place.node, self._paths[id(place.node)], place.steps)

    def _walk(self, node: Node, path: Path) -> Iterator[tuple[Node, Path]]:
        yield node, path
        for name, listed, _ in parts(type(node)):
            inner = getattr(node, name)
            if inner is None:
                continue
            here = (*path, self.keys.get((id(node), name), name))
            if not listed:
                yield from self._walk(inner, here)
                continue
            kept = self.kept.get((id(node), name))
            for index, item in enumerate(inner):
                yield from self._walk(item, (*here, kept[index] if kept else index))

    def _follow(self, node: Any, path: Path, steps: Path) -> Path:
        owner: tuple[int, str] | None = None
        for step in steps:
            if isinstance(step, int):
                kept = self.kept.get(owner) if owner else None
                path, owner = (*path, kept[step] if kept else step), None
                node = node[step] if isinstance(node, list) and step < len(node) else None
                continue
            owner = (id(node), step)
            path = (*path, self.keys.get(owner, step))
            node = getattr(node, step, None) if isinstance(node, Node) else None
        return path


def fit(value: Any, model: type[Node], *, root: Path = ()) -> Fitted:
    """A model of a value; `root` leads from the root of the document to the value, (0,) in a list of resources."""
    from pydantic import ValidationError

    try:
        return Fitted(_validator(model)(value), root)
    except ValidationError:
        fitted = Fitted(model.model_construct(), root)
        fitted.node = _message(fitted, value, model, root)
        return fitted


@cache
def _validator(model: type[Node]) -> Callable[[Any], Node]:
    model.model_rebuild()
    validate: Callable[[Any], Node] = model.__pydantic_validator__.validate_python
    return validate


def _message(fitted: Fitted, value: Any, model: type[Node], path: Path) -> Node:
    if not isinstance(value, Mapping):
        fitted.misfits.append(WrongType(path, "a mapping", value))
        return model.model_construct()
    present: set[str] = set()
    values: dict[str, Any] = {}
    keys: dict[str, str] = {}
    kept: dict[str, list[int]] = {}
    for name, key in _spelled(fitted, value, model, path):
        keys[name] = key
        taken = _field(fitted, value[key], model, name, (*path, key), kept)
        if taken is not ABSENT:
            present.add(name)
        if taken is not ABSENT and taken is not None:
            values[name] = taken
    present |= _meant(fitted, path)
    fitted.misfits.extend(_missing(value, model, path, present, keys))
    node = model.model_construct(_fields_set=present, **values)
    fitted.keys.update({(id(node), name): key for name, key in keys.items() if key != name})
    fitted.kept.update({(id(node), name): indexes for name, indexes in kept.items()})
    return node


def _spelled(fitted: Fitted, value: Mapping[str, Any], model: type[Node], path: Path) -> Iterator[tuple[str, str]]:
    """The fields that stand in a mapping, each with the key that spells it; tells other spellings and unknown keys."""
    names = _names(model)
    spelled: dict[str, str] = {}
    for key in value:
        name = names.get(key)
        if name is None:
            _unknown(fitted, key, value, model, path)
        elif name in spelled:
            fitted.misfits.append(TwoSpellings((*path, key), (*path, spelled[name])))
        else:
            spelled[name] = key
            if key != name:
                fitted.misfits.append(NonCanonicalForm((*path, key), f'"{key}" is the snake_case spelling; write "{name}"', name, is_key=True))
            yield name, key


@cache
def _names(model: type[Node]) -> Mapping[str, str]:
    """Both spellings of every field, and the field: camelCase wins where one is the other's."""
    return {snake_case(name): name for name in model.model_fields} | {name: name for name in model.model_fields}


def _unknown(fitted: Fitted, key: str, value: Mapping[str, Any], model: type[Node], path: Path) -> None:
    if model.further_fields == "allowed":
        return
    names = _names(model)
    candidate = nearest(key, [name for name in model.model_fields if name != ENVELOPE])
    free = candidate is not None and not any(names.get(other) == candidate for other in value)
    fitted.misfits.append(UnknownField((*path, key), model, candidate, free))


def _meant(fitted: Fitted, path: Path) -> set[str]:
    """The fields of the mapping at `path` that a misspelt key was meant to be; they count as present."""
    return {
        misfit.candidate
        for misfit in fitted.misfits
        if isinstance(misfit, UnknownField) and misfit.path[:-1] == path and misfit.candidate
    }


def _missing(
    value: Mapping[str, Any], model: type[Node], path: Path, present: set[str], keys: Mapping[str, str]
) -> Iterator[MissingField]:
    for name in model.model_fields:
        if facts(model, name).mode != "required" or (name in present and name not in keys):
            continue
        if name not in keys:
            yield MissingField(path, model, name, stands=False)
        elif value[keys[name]] in (None, "", []) and not isinstance(value[keys[name]], (bool, int, float)):
            yield MissingField((*path, keys[name]), model, name, stands=True, value=value[keys[name]])


def _field(
    fitted: Fitted, value: Any, model: type[Node], name: str, path: Path, kept: dict[str, list[int]]
) -> Any:
    """The value of a field as its model has it; None where it was refused, ABSENT where it counts as unset."""
    shape = fields.shape(model, name)
    required = facts(model, name).mode == "required"
    if value is None:
        if not required:
            fitted.misfits.append(NullValue(path, shape.model is not None and not shape.listed))
        return ABSENT
    if required and value in ("", []):
        return None
    if shape.listed:
        return _list(fitted, value, shape, name, path, kept)
    return _value(fitted, value, shape, path, required=required)


def _list(
    fitted: Fitted, value: Any, shape: fields.Shape, name: str, path: Path, kept: dict[str, list[int]]
) -> Any:
    if not isinstance(value, list):
        item = fields.item(shape)
        fitted.misfits.append(WrongType(path, f"a list of {item.plural}", value, wrap=_would_fit(value, item, path)))
        return None
    taken: list[Any] = []
    indexes: list[int] = []
    for index, entry in enumerate(value):
        one = _value(fitted, entry, fields.item(shape), (*path, index), required=False)
        if one is not None and one is not ABSENT:
            taken.append(one)
            indexes.append(index)
    if len(indexes) != len(value):
        kept[name] = indexes
    return taken


def _would_fit(value: Any, shape: fields.Shape, path: Path) -> bool:
    probe = Fitted(Node.model_construct(), path)
    return _value(probe, value, shape, path, required=False) is not None and not probe.misfits


def _value(fitted: Fitted, value: Any, shape: fields.Shape, path: Path, *, required: bool) -> Any:
    if shape.model is not None:
        if not isinstance(value, Mapping):
            fitted.misfits.append(WrongType(path, "a mapping", value))
            return None
        return _message(fitted, value, shape.model, path)
    if shape.values is not None:
        return _map(fitted, value, shape, path)
    taken, misfits = fields.scalar(value, shape, path, required=required)
    fitted.misfits.extend(misfits)
    if taken is None and misfits and isinstance(misfits[0], fields.AsUnset):
        return ABSENT
    return taken


def _map(fitted: Fitted, value: Any, shape: fields.Shape, path: Path) -> Any:
    if not isinstance(value, Mapping):
        fitted.misfits.append(WrongType(path, shape.words, value))
        return None
    assert shape.values is not None
    taken: dict[str, Any] = {}
    for key, entry in value.items():
        too_long = list(fields.too_long(key, shape.longest_key, (*path, key), is_key=True))
        fitted.misfits.extend(too_long)
        one = _value(fitted, entry, shape.values, (*path, key), required=False)
        if one is not None and not too_long:
            taken[key] = one
    return taken
