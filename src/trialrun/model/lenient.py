"""Values field by field into a model: every misfit told, what is right kept (the slow way, for what was refused)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from trialrun.diagnostic import Path
from trialrun.lazy_dataclass import dataclass
from trialrun.model import proto_json, unknown_field
from trialrun.model.misfit import (
    Misfit,
    MissingField,
    NonCanonicalForm,
    NullValue,
    TwoSpellings,
    UnionConflict,
    WrongType,
)
from trialrun.model.node import (
    Node,
    Shortened,
    Thinned,
    facts,
    fields_of_mode,
    parts,
    value_type,
)
from trialrun.model.unions import members, unions
from trialrun.model.validate import accepted
from trialrun.model.validated import Fitted

ABSENT = object()


@dataclass(frozen=True, slots=True)
class Entry:
    """A field that stands in a message: `steps` are the keys that lead to its value, one but for a lifted field."""

    steps: tuple[str, ...]
    value: Any


def read(
    value: Any, model: type[Node], *, root: Path = (), as_meant: bool = False, refused: Iterable[Path] = ()
) -> Fitted:
    """The model of what is right in a value, read field by field, and everything that is wrong in the rest.

    `refused` are the paths at which the compiled validator refused something, and all above them, where it was asked.
    """
    fitted = Fitted(model.model_construct(), root, as_meant=as_meant, refused={root, *refused})
    fitted.node = _message(fitted, value, model, root)
    fitted.misfits = unknown_field.without_moved(fitted.misfits, model, root, fitted.meanings)
    return fitted


def _message(fitted: Fitted, value: Any, model: type[Node], path: Path) -> Node:
    if not isinstance(value, Mapping):
        _tell_no_mapping(fitted, value, model, path)
        return model.model_construct()
    if path not in fitted.refused and _is_refused_alike(model):
        whole = accepted(value, model, refused=fitted.refused, path=path)
        if whole is not None:
            return whole
    before = len(fitted.misfits)
    present: set[str] = set()
    values: dict[str, Any] = {}
    entries: dict[str, Entry] = {}
    kept: dict[str, list[int]] = {}
    for name, entry in _entries(fitted, value, model, path, entries):
        taken = _field(fitted, entry.value, model, name, (*path, *entry.steps), kept)
        if taken is not ABSENT:
            present.add(name)
        if taken is not ABSENT and taken is not None:
            values[name] = taken
    fitted.misfits[before:] = _nulls_beside_members(fitted.misfits[before:], model, path, entries, present)
    fitted.misfits.extend(_conflicts(model, path, entries, present))
    present |= unknown_field.meant_here(fitted.misfits[before:], path, type(fitted.node), fitted.root, fitted.meanings)
    fitted.misfits.extend(_missing(model, path, present, entries))
    further = {key: entry for key, entry in value.items() if key not in unknown_field.names(model)}
    present |= further.keys()
    if model.further_fields == "allowed":
        values |= further
    return _built(fitted, model, values, present, entries, kept)


@cache
def _is_refused_alike(model: type[Node]) -> bool:
    """Whether the compiled validator refuses whatever this reading does: of any value it refuses nothing."""
    if any(value_type(model, name) is Any for name in model.model_fields):
        return False
    return all(_is_refused_alike(part) for _, _, part in parts(model))


def _built(
    fitted: Fitted,
    model: type[Node],
    values: Mapping[str, Any],
    present: set[str],
    entries: Mapping[str, Entry],
    kept: Mapping[str, list[int]],
) -> Node:
    node = model.model_construct(_fields_set=present, **values)
    fitted.keys.update({(id(node), name): entry.steps for name, entry in entries.items() if entry.steps != (name,)})
    fitted.kept.update({(id(node), name): indexes for name, indexes in kept.items()})
    return node


def _tell_no_mapping(fitted: Fitted, value: Any, model: type[Node], path: Path) -> None:
    """Something else where a message belongs; a list of one mapping is also read as the mapping it probably is."""
    fitted.misfits.append(WrongType(path, "a mapping", value, model=model))
    if isinstance(value, list) and len(value) == 1 and _looks_like(value[0], model):
        _tell_misfits_of(fitted, value[0], model, (*path, 0))


def _looks_like(value: Any, model: type[Node]) -> bool:
    """Whether a mapping has a key of the message at all."""
    return isinstance(value, Mapping) and any(key in unknown_field.names(model) for key in value)


def _tell_misfits_of(fitted: Fitted, value: Any, model: type[Node], path: Path) -> None:
    """Tell what is wrong in a message that the model cannot keep, because it stands in a wrong form."""
    node = _message(fitted, value, model, path)
    if fitted.as_meant:
        fitted.asides.append((node, path))


def _entries(
    fitted: Fitted,
    value: Mapping[str, Any],
    model: type[Node],
    path: Path,
    entries: dict[str, Entry],
    above: tuple[str, ...] = (),
) -> Iterator[tuple[str, Entry]]:
    """The fields that stand in a mapping, added to `entries`; tells other spellings and unknown keys.

    `above` are the keys of unions that lead from the message at `path` to the mapping.
    """
    names = unknown_field.names(model)
    for key in value:
        name = names.get(key)
        if name is None:
            yield from _unknown(fitted, key, value, model, path, entries, above)
        elif name in entries:
            fitted.misfits.append(TwoSpellings((*path, *above, key), (*path, *entries[name].steps)))
        else:
            entries[name] = Entry((*above, key), value[key])
            if key != name:
                message = f'"{key}" is the snake_case spelling; write "{name}"'
                fitted.misfits.append(NonCanonicalForm((*path, *above, key), message, name, is_key=True))
            yield name, entries[name]


def _unknown(
    fitted: Fitted,
    key: str,
    value: Mapping[str, Any],
    model: type[Node],
    path: Path,
    entries: dict[str, Entry],
    above: tuple[str, ...],
) -> Iterator[tuple[str, Entry]]:
    """Tell a key that the message does not have; with `as_meant`, what stands below it is a field, or several."""
    if model.further_fields == "allowed":
        return
    here = (*path, *above)
    misfit = unknown_field.unknown_field(
        key, value, model, here, root=type(fitted.node), base=fitted.root, meanings=fitted.meanings
    )
    if not fitted.as_meant:
        fitted.misfits.append(replace(misfit, is_read=False))
        return
    fitted.misfits.append(misfit)
    if misfit.union:
        fitted.meanings[misfit.path] = ()
        yield from _entries(fitted, value[key], model, path, entries, (*above, key))
    elif misfit.is_read and misfit.candidate:
        fitted.meanings[misfit.path] = (misfit.candidate,)
        if misfit.candidate_is_free and misfit.candidate not in entries:
            entries[misfit.candidate] = Entry((*above, key), value[key])
            yield misfit.candidate, entries[misfit.candidate]
        else:
            _read_aside(fitted, value[key], model, misfit.candidate, misfit.path)
    elif misfit.is_read:
        home = misfit.homes[0]
        _read_aside(fitted, value[key], home.model, home.field, misfit.path)


def _read_aside(fitted: Fitted, value: Any, model: type[Node], name: str, path: Path) -> None:
    """Read the value of a field that the message has already, or that stands in another message."""
    kept: dict[str, list[int]] = {}
    taken = _field(fitted, value, model, name, path, kept)
    for index, node in enumerate(taken if isinstance(taken, list) else [taken]):
        if isinstance(node, Node):
            steps = (kept[name][index] if name in kept else index,) if isinstance(taken, list) else ()
            fitted.asides.append((node, (*path, *steps)))


def _conflicts(
    model: type[Node], path: Path, entries: Mapping[str, Entry], present: set[str]
) -> Iterator[UnionConflict]:
    """Each member of a union after the first, in the order of the file; null is unset and counts as no member."""
    for union, (first, *later) in members(model, [name for name in entries if name in present]):
        for name in later:
            idle = entries[name].value is False or entries[first].value is False
            places = (*path, *entries[name].steps), (*path, *entries[first].steps)
            yield UnionConflict(places[0], model, union, name, places[1], first, idle)


def _nulls_beside_members(
    misfits: list[Misfit], model: type[Node], path: Path, entries: Mapping[str, Entry], present: set[str]
) -> Iterator[Misfit]:
    """The misfits, where a null says `{}` for one member of a union alone: not beside another one, set or null."""
    taken = {union for union, names in unions(model).items() if present.intersection(names)}
    names = {(*path, *entry.steps): name for name, entry in entries.items()}
    for misfit in misfits:
        if isinstance(misfit, NullValue) and misfit.empty_message and misfit.path in names:
            of_field = {union for union, members in unions(model).items() if names[misfit.path] in members}
            misfit = replace(misfit, empty_message=not of_field & taken)
            taken |= of_field
        yield misfit


def _missing(model: type[Node], path: Path, present: set[str], entries: Mapping[str, Entry]) -> Iterator[MissingField]:
    for name in _required(model):
        if name in present and name not in entries:
            continue
        if name not in entries:
            yield MissingField(path, model, name, stands=False)
        elif _is_empty(entries[name].value, model, name):
            value = entries[name].value
            yield MissingField((*path, *entries[name].steps), model, name, stands=True, value=value)


@cache
def _required(model: type[Node]) -> tuple[str, ...]:
    return tuple(name for name in model.model_fields if facts(model, name).mode == "required")


def _is_empty(value: Any, model: type[Node], name: str) -> bool:
    """Whether a required field might as well be absent: null, empty text, an empty list or an empty map."""
    is_map = isinstance(value, Mapping) and proto_json.shape(model, name).values is not None
    return value is None or ((isinstance(value, (str, list)) or is_map) and not value)


def _field(fitted: Fitted, value: Any, model: type[Node], name: str, path: Path, kept: dict[str, list[int]]) -> Any:
    """The value of a field as its model has it; None where it was refused, ABSENT where it counts as unset."""
    shape = proto_json.shape(model, name)
    required = facts(model, name).mode == "required"
    if value is None:
        if not required:
            fitted.misfits.append(NullValue(path, _is_set_by_standing(model, name, shape)))
        return ABSENT
    if required and _is_empty(value, model, name):
        return None
    if shape.listed:
        return _list(fitted, value, shape, name, path, kept)
    return _value(fitted, value, shape, path, required=required)


def _is_set_by_standing(model: type[Node], name: str, shape: proto_json.Shape) -> bool:
    """Whether an empty message says something: one without fields, or a member of a union that needs none."""
    inner = shape.model
    if inner is None or shape.listed or fields_of_mode(inner, "required"):
        return False
    return not inner.model_fields or any(name in members for members in model.unions.values())


def _list(
    fitted: Fitted, value: Any, shape: proto_json.Shape, name: str, path: Path, kept: dict[str, list[int]]
) -> Any:
    if not isinstance(value, list):
        _tell_no_list(fitted, value, proto_json.item(shape), path)
        return None
    if shape.model is not None and value and all(isinstance(entry, str) for entry in value):
        fitted.misfits.append(WrongType(path, f"a list of {shape.plural}", value, model=shape.model))
        kept[name] = []
        return Shortened()
    taken: list[Any] = []
    indexes: list[int] = []
    for index, entry in enumerate(value):
        one = _value(fitted, entry, proto_json.item(shape), (*path, index), required=False)
        if one is not None and one is not ABSENT:
            taken.append(one)
            indexes.append(index)
    if len(indexes) != len(value):
        kept[name] = indexes
        return Shortened(taken)
    return taken


def _tell_no_list(fitted: Fitted, value: Any, item: proto_json.Shape, path: Path) -> None:
    """Something else where a list belongs; a mapping is also read as the item it probably is."""
    inside = item.model if item.model is not None and _looks_like(value, item.model) else None
    wrap = _would_fit(value, item, path) if inside is None else all(key in unknown_field.names(inside) for key in value)
    fitted.misfits.append(WrongType(path, f"a list of {item.plural}", value, wrap=wrap, model=item.model))
    if inside is not None:
        _tell_misfits_of(fitted, value, inside, path)


def _would_fit(value: Any, shape: proto_json.Shape, path: Path) -> bool:
    """Whether a value other than a message would be right as an item."""
    if shape.model is not None or value == "":
        return False
    probe = Fitted(Node.model_construct(), path)
    return _value(probe, value, shape, path, required=False) is not None and not probe.misfits


def _value(fitted: Fitted, value: Any, shape: proto_json.Shape, path: Path, *, required: bool) -> Any:
    if shape.model is not None:
        if not isinstance(value, Mapping):
            _tell_no_mapping(fitted, value, shape.model, path)
            return None
        return _message(fitted, value, shape.model, path)
    if shape.values is not None:
        return _map(fitted, value, shape, shape.values, path)
    taken, misfits = proto_json.scalar(value, shape, path, required=required)
    fitted.misfits.extend(misfits)
    if taken is None and misfits and isinstance(misfits[0], proto_json.AsUnset):
        return ABSENT
    return taken


def _map(fitted: Fitted, value: Any, shape: proto_json.Shape, values: proto_json.Shape, path: Path) -> Any:
    if not isinstance(value, Mapping):
        fitted.misfits.append(WrongType(path, shape.words, value))
        return None
    taken: dict[str, Any] = {}
    sound: list[str] = []
    for key, entry in value.items():
        too_long = list(proto_json.too_long(key, shape.longest_key, (*path, key), is_key=True))
        fitted.misfits.extend(too_long)
        one = _value(fitted, entry, values, (*path, key), required=False)
        sound += [] if too_long else [key]
        if not too_long and (one is not None or values is proto_json.ANYTHING):
            taken[key] = one
    return taken if len(taken) == len(value) else Thinned(taken, value, sound)
