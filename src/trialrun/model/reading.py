"""Values field by field into a model: every misfit told, what is right kept (the slow way, for what was refused)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from trialrun.diagnostic import Path
from trialrun.model import fields, unknown
from trialrun.model.fitted import Fitted
from trialrun.model.misfit import (
    Misfit,
    MissingField,
    NonCanonicalForm,
    NullValue,
    TwoSpellings,
    UnionConflict,
    UnknownField,
    WrongType,
)
from trialrun.model.node import Node, Shortened, Thinned, facts, fields_of_mode
from trialrun.model.unions import members, unions

ABSENT = object()


def read(value: Any, model: type[Node], *, root: Path = ()) -> Fitted:
    """The model of what is right in a value, read field by field, and everything that is wrong in the rest."""
    fitted = Fitted(model.model_construct(), root)
    fitted.node = _message(fitted, value, model, root)
    fitted.misfits = unknown.without_moved(fitted.misfits, model, root)
    return fitted


def _message(fitted: Fitted, value: Any, model: type[Node], path: Path) -> Node:
    if not isinstance(value, Mapping):
        _tell_no_mapping(fitted, value, model, path)
        return model.model_construct()
    before = len(fitted.misfits)
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
    fitted.misfits[before:] = _nulls_beside_members(fitted.misfits[before:], model, path, keys, present)
    fitted.misfits.extend(_conflicts(value, model, path, keys, present))
    present |= unknown.meant_here(fitted.misfits[before:], path, type(fitted.node), fitted.root)
    fitted.misfits.extend(_missing(value, model, path, present, keys))
    further = {key: entry for key, entry in value.items() if key not in unknown.names(model)}
    present |= further.keys()
    if model.further_fields == "allowed":
        values |= further
    return _built(fitted, model, values, present, keys, kept)


def _built(
    fitted: Fitted,
    model: type[Node],
    values: Mapping[str, Any],
    present: set[str],
    keys: Mapping[str, str],
    kept: Mapping[str, list[int]],
) -> Node:
    node = model.model_construct(_fields_set=present, **values)
    fitted.keys.update({(id(node), name): key for name, key in keys.items() if key != name})
    fitted.kept.update({(id(node), name): indexes for name, indexes in kept.items()})
    return node


def _tell_no_mapping(fitted: Fitted, value: Any, model: type[Node], path: Path) -> None:
    """Something else where a message belongs; a list of one mapping is also read as the mapping it probably is."""
    fitted.misfits.append(WrongType(path, "a mapping", value, model=model))
    if isinstance(value, list) and len(value) == 1 and _looks_like(value[0], model):
        _tell_misfits_of(fitted, value[0], model, (*path, 0))


def _looks_like(value: Any, model: type[Node]) -> bool:
    """Whether a mapping has a key of the message at all."""
    return isinstance(value, Mapping) and any(key in unknown.names(model) for key in value)


def _tell_misfits_of(fitted: Fitted, value: Any, model: type[Node], path: Path) -> None:
    """Tell what is wrong in a message that the model cannot keep, because it stands in a wrong form."""
    aside = Fitted(fitted.node, fitted.root)
    _message(aside, value, model, path)
    fitted.misfits.extend(aside.misfits)


def _spelled(fitted: Fitted, value: Mapping[str, Any], model: type[Node], path: Path) -> Iterator[tuple[str, str]]:
    """The fields that stand in a mapping, each with the key that spells it; tells other spellings and unknown keys."""
    names = unknown.names(model)
    spelled: dict[str, str] = {}
    for key in value:
        name = names.get(key)
        if name is None:
            fitted.misfits.extend(_unknown(fitted, key, value, model, path))
        elif name in spelled:
            fitted.misfits.append(TwoSpellings((*path, key), (*path, spelled[name])))
        else:
            spelled[name] = key
            if key != name:
                message = f'"{key}" is the snake_case spelling; write "{name}"'
                fitted.misfits.append(NonCanonicalForm((*path, key), message, name, is_key=True))
            yield name, key


def _unknown(
    fitted: Fitted, key: str, value: Mapping[str, Any], model: type[Node], path: Path
) -> Iterator[UnknownField]:
    if model.further_fields != "allowed":
        yield unknown.unknown_field(key, value, model, path, root=type(fitted.node), base=fitted.root)


def _conflicts(
    value: Mapping[str, Any], model: type[Node], path: Path, keys: Mapping[str, str], present: set[str]
) -> Iterator[UnionConflict]:
    """Each member of a union after the first, in the order of the file; null is unset and counts as no member."""
    for union, (first, *later) in members(model, [name for name in keys if name in present]):
        for name in later:
            idle = value[keys[name]] is False or value[keys[first]] is False
            yield UnionConflict((*path, keys[name]), model, union, name, (*path, keys[first]), first, idle)


def _nulls_beside_members(
    misfits: list[Misfit], model: type[Node], path: Path, keys: Mapping[str, str], present: set[str]
) -> Iterator[Misfit]:
    """The misfits, where a null says `{}` for one member of a union alone: not beside another one, set or null."""
    taken = {union for union, names in unions(model).items() if present.intersection(names)}
    names = {key: name for name, key in keys.items()}
    for misfit in misfits:
        if isinstance(misfit, NullValue) and misfit.empty_message and misfit.path[:-1] == path:
            of_field = {union for union, members in unions(model).items() if names[str(misfit.path[-1])] in members}
            misfit = replace(misfit, empty_message=not of_field & taken)
            taken |= of_field
        yield misfit


def _missing(
    value: Mapping[str, Any], model: type[Node], path: Path, present: set[str], keys: Mapping[str, str]
) -> Iterator[MissingField]:
    for name in _required(model):
        if name in present and name not in keys:
            continue
        if name not in keys:
            yield MissingField(path, model, name, stands=False)
        elif _is_empty(value[keys[name]]):
            yield MissingField((*path, keys[name]), model, name, stands=True, value=value[keys[name]])


@cache
def _required(model: type[Node]) -> tuple[str, ...]:
    return tuple(name for name in model.model_fields if facts(model, name).mode == "required")


def _is_empty(value: Any) -> bool:
    """Whether a required field might as well be absent: null, empty text, an empty list or an empty map."""
    return value is None or (isinstance(value, (str, list)) and not value)


def _field(fitted: Fitted, value: Any, model: type[Node], name: str, path: Path, kept: dict[str, list[int]]) -> Any:
    """The value of a field as its model has it; None where it was refused, ABSENT where it counts as unset."""
    shape = fields.shape(model, name)
    required = facts(model, name).mode == "required"
    if value is None:
        if not required:
            fitted.misfits.append(NullValue(path, _is_set_by_standing(model, name, shape)))
        return ABSENT
    if required and _is_empty(value):
        return None
    if shape.listed:
        return _list(fitted, value, shape, name, path, kept)
    return _value(fitted, value, shape, path, required=required)


def _is_set_by_standing(model: type[Node], name: str, shape: fields.Shape) -> bool:
    """Whether an empty message says something: one without fields, or a member of a union that needs none."""
    inner = shape.model
    if inner is None or shape.listed or fields_of_mode(inner, "required"):
        return False
    return not inner.model_fields or any(name in members for members in model.unions.values())


def _list(fitted: Fitted, value: Any, shape: fields.Shape, name: str, path: Path, kept: dict[str, list[int]]) -> Any:
    if not isinstance(value, list):
        _tell_no_list(fitted, value, fields.item(shape), path)
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
        return Shortened(taken)
    return taken


def _tell_no_list(fitted: Fitted, value: Any, item: fields.Shape, path: Path) -> None:
    """Something else where a list belongs; a mapping is also read as the item it probably is."""
    inside = item.model if item.model is not None and _looks_like(value, item.model) else None
    wrap = _would_fit(value, item, path) if inside is None else all(key in unknown.names(inside) for key in value)
    fitted.misfits.append(WrongType(path, f"a list of {item.plural}", value, wrap=wrap, model=item.model))
    if inside is not None:
        _tell_misfits_of(fitted, value, inside, path)


def _would_fit(value: Any, shape: fields.Shape, path: Path) -> bool:
    """Whether a value other than a message would be right as an item."""
    if shape.model is not None or value == "":
        return False
    probe = Fitted(Node.model_construct(), path)
    return _value(probe, value, shape, path, required=False) is not None and not probe.misfits


def _value(fitted: Fitted, value: Any, shape: fields.Shape, path: Path, *, required: bool) -> Any:
    if shape.model is not None:
        if not isinstance(value, Mapping):
            _tell_no_mapping(fitted, value, shape.model, path)
            return None
        return _message(fitted, value, shape.model, path)
    if shape.values is not None:
        return _map(fitted, value, shape, shape.values, path)
    taken, misfits = fields.scalar(value, shape, path, required=required)
    fitted.misfits.extend(misfits)
    if taken is None and misfits and isinstance(misfits[0], fields.AsUnset):
        return ABSENT
    return taken


def _map(fitted: Fitted, value: Any, shape: fields.Shape, values: fields.Shape, path: Path) -> Any:
    if not isinstance(value, Mapping):
        fitted.misfits.append(WrongType(path, shape.words, value))
        return None
    taken: dict[str, Any] = {}
    for key, entry in value.items():
        too_long = list(fields.too_long(key, shape.longest_key, (*path, key), is_key=True))
        fitted.misfits.extend(too_long)
        one = _value(fitted, entry, values, (*path, key), required=False)
        if not too_long and (one is not None or values is fields.ANYTHING):
            taken[key] = one
    return taken if len(taken) == len(value) else Thinned(taken, value)
