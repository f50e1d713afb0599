"""Field-by-field validation: reports every misfit and keeps the valid content. The slow path for invalid values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    PartialMapping,
    TruncatedList,
    field_spec,
    fields_of_mode,
    message_fields,
    value_type,
)
from trialrun.model.unions import conflicting_members, unions
from trialrun.model.validated import ValidatedModel

ABSENT = object()


@dataclass(frozen=True, slots=True)
class FieldEntry:
    """A field that is present in a message; `keys` lead to its value, several below the name of a union."""

    keys: tuple[str, ...]
    value: Any


def validate_leniently(
    value: Any, model: type[Node], *, root: Path = (), correct_typos: bool = False
) -> ValidatedModel:
    """A model of the valid content of a value that was refused as a whole, and every misfit in the rest."""
    validated = ValidatedModel(model.model_construct(), root, correct_typos=correct_typos)
    validated.node = _validate_message(validated, value, model, root)
    validated.misfits = unknown_field.without_misplaced(validated.misfits, model, root, validated.meanings)
    return validated


def _validate_message(validated: ValidatedModel, value: Any, model: type[Node], path: Path) -> Node:
    if not isinstance(value, Mapping):
        _report_not_mapping(validated, value, model, path)
        return model.model_construct()
    if path != validated.root and _is_checked_alike(model):
        node = model.accept(value)
        if node is not None:
            return node
    earlier_misfits = len(validated.misfits)
    present: set[str] = set()
    values: dict[str, Any] = {}
    entries: dict[str, FieldEntry] = {}
    valid_indexes: dict[str, list[int]] = {}
    for name, entry in _entries(validated, value, model, path, entries):
        field_value = _validate_field(validated, entry.value, model, name, (*path, *entry.keys), valid_indexes)
        if field_value is not ABSENT:
            present.add(name)
        if field_value is not ABSENT and field_value is not None:
            values[name] = field_value
    if len(validated.misfits) > earlier_misfits:
        validated.misfits[earlier_misfits:] = _nulls_beside_members(
            validated.misfits[earlier_misfits:], model, path, entries, present
        )
    validated.misfits.extend(_union_conflicts(model, path, entries, present))
    if len(validated.misfits) > earlier_misfits:
        present |= unknown_field.intended_fields(
            validated.misfits[earlier_misfits:], path, type(validated.node), validated.root, validated.meanings
        )
    validated.misfits.extend(_missing_fields(model, path, present, entries))
    spellings = unknown_field.spellings(model)
    extra_fields = {key: entry for key, entry in value.items() if key not in spellings}
    present |= extra_fields.keys()
    if model.further_fields == "allowed":
        values |= extra_fields
    return _build_node(validated, model, values, present, entries, valid_indexes)


@cache
def _is_checked_alike(model: type[Node]) -> bool:
    """Whether the model refuses everything that this module reports, so that values it accepts are
    skipped.
    """
    if any(value_type(model, name) is Any for name in model.model_fields):
        return False
    return all(_is_checked_alike(part) for _, _, part in message_fields(model))


def _build_node(
    validated: ValidatedModel,
    model: type[Node],
    values: Mapping[str, Any],
    present: set[str],
    entries: Mapping[str, FieldEntry],
    valid_indexes: Mapping[str, list[int]],
) -> Node:
    node = model.model_construct(_fields_set=present, **values)
    validated.file_keys.update(
        {(id(node), name): entry.keys for name, entry in entries.items() if entry.keys != (name,)}
    )
    validated.kept_indexes.update({(id(node), name): indexes for name, indexes in valid_indexes.items()})
    return node


def _report_not_mapping(validated: ValidatedModel, value: Any, model: type[Node], path: Path) -> None:
    """Report a value that is not a mapping; a list of one mapping is validated as that mapping."""
    validated.misfits.append(WrongType(path, "a mapping", value, model=model))
    if isinstance(value, list) and len(value) == 1 and _has_known_key(value[0], model):
        _report_misfits(validated, value[0], model, (*path, 0))


def _has_known_key(value: Any, model: type[Node]) -> bool:
    """Whether a mapping has any key of the message."""
    return isinstance(value, Mapping) and any(key in unknown_field.spellings(model) for key in value)


def _report_misfits(validated: ValidatedModel, value: Any, model: type[Node], path: Path) -> None:
    """Report the misfits inside a message that cannot be part of the model."""
    node = _validate_message(validated, value, model, path)
    if validated.correct_typos:
        validated.detached.append((node, path))


def _entries(
    validated: ValidatedModel,
    value: Mapping[str, Any],
    model: type[Node],
    path: Path,
    entries: dict[str, FieldEntry],
    above: tuple[str, ...] = (),
) -> Iterator[tuple[str, FieldEntry]]:
    """Yield the fields of a mapping and add them to `entries`; reports other spellings and unknown keys.

    `above` are the keys of unions that lead from the message at `path` to the mapping.
    """
    names = unknown_field.spellings(model)
    for key in value:
        name = names.get(key)
        if name is None:
            yield from _unknown_key(validated, key, value, model, path, entries, above)
        elif name in entries:
            validated.misfits.append(TwoSpellings((*path, *above, key), (*path, *entries[name].keys)))
        else:
            entries[name] = FieldEntry((*above, key), value[key])
            if key != name:
                message = f'"{key}" is the snake_case spelling; write "{name}"'
                validated.misfits.append(NonCanonicalForm((*path, *above, key), message, name, is_key=True))
            yield name, entries[name]


def _unknown_key(
    validated: ValidatedModel,
    key: str,
    value: Mapping[str, Any],
    model: type[Node],
    path: Path,
    entries: dict[str, FieldEntry],
    above: tuple[str, ...],
) -> Iterator[tuple[str, FieldEntry]]:
    """Report an unknown key; with `correct_typos`, yield its content as the intended fields."""
    if model.further_fields == "allowed":
        return
    message_path = (*path, *above)
    misfit = unknown_field.unknown_field(
        key, value, model, message_path, root=type(validated.node), base=validated.root, meanings=validated.meanings
    )
    if not validated.correct_typos:
        validated.misfits.append(replace(misfit, is_read=False))
        return
    validated.misfits.append(misfit)
    if misfit.union:
        validated.meanings[misfit.path] = ()
        yield from _entries(validated, value[key], model, path, entries, (*above, key))
    elif misfit.is_read and misfit.candidate:
        validated.meanings[misfit.path] = (misfit.candidate,)
        if misfit.candidate_is_free and misfit.candidate not in entries:
            entries[misfit.candidate] = FieldEntry((*above, key), value[key])
            yield misfit.candidate, entries[misfit.candidate]
        else:
            _validate_detached(validated, value[key], model, misfit.candidate, misfit.path)
    elif misfit.is_read:
        owner = misfit.owners[0]
        _validate_detached(validated, value[key], owner.model, owner.field, misfit.path)


def _validate_detached(validated: ValidatedModel, value: Any, model: type[Node], name: str, path: Path) -> None:
    """Validate the value of a field that the message already has, or that belongs in another message."""
    valid_indexes: dict[str, list[int]] = {}
    field_value = _validate_field(validated, value, model, name, path, valid_indexes)
    for index, node in enumerate(field_value if isinstance(field_value, list) else [field_value]):
        if isinstance(node, Node):
            steps = (
                (valid_indexes[name][index] if name in valid_indexes else index,)
                if isinstance(field_value, list)
                else ()
            )
            validated.detached.append((node, (*path, *steps)))


def _union_conflicts(
    model: type[Node], path: Path, entries: Mapping[str, FieldEntry], present: set[str]
) -> Iterator[UnionConflict]:
    """Each member of a union after the first, in file order; null counts as unset."""
    for union, (first, *later) in conflicting_members(model, [name for name in entries if name in present]):
        for name in later:
            paths = (*path, *entries[name].keys), (*path, *entries[first].keys)
            values = {member: entries[member].value for member in (name, first)}
            is_false = any(value is False for value in values.values())
            empty = next((member for member, value in values.items() if value in ("", [])), None)
            yield UnionConflict(paths[0], model, union, name, paths[1], first, is_false, empty)


def _nulls_beside_members(
    misfits: list[Misfit], model: type[Node], path: Path, entries: Mapping[str, FieldEntry], present: set[str]
) -> Iterator[Misfit]:
    """The misfits, in which null suggests `{}` only if no other member of the union is present."""
    if not any(isinstance(misfit, NullValue) and misfit.empty_message for misfit in misfits):
        yield from misfits
        return
    taken = {union for union, names in unions(model).items() if present.intersection(names)}
    names = {(*path, *entry.keys): name for name, entry in entries.items()}
    for misfit in misfits:
        if isinstance(misfit, NullValue) and misfit.empty_message and misfit.path in names:
            field_unions = {union for union, members in unions(model).items() if names[misfit.path] in members}
            misfit = replace(misfit, empty_message=not field_unions & taken)
            taken |= field_unions
        yield misfit


def _missing_fields(
    model: type[Node], path: Path, present: set[str], entries: Mapping[str, FieldEntry]
) -> Iterator[MissingField]:
    for name in _required(model):
        if name in present and name not in entries:
            continue
        if name not in entries:
            yield MissingField(path, model, name, is_present=False)
        elif _is_empty(entries[name].value, model, name):
            value = entries[name].value
            yield MissingField((*path, *entries[name].keys), model, name, is_present=True, value=value)


@cache
def _required(model: type[Node]) -> tuple[str, ...]:
    return tuple(name for name in model.model_fields if field_spec(model, name).mode == "required")


def _is_empty(value: Any, model: type[Node], name: str) -> bool:
    """Whether the value of a required field counts as missing: null, empty text, an empty list or an empty map."""
    is_map = isinstance(value, Mapping) and proto_json.field_type(model, name).values is not None
    return value is None or ((isinstance(value, (str, list)) or is_map) and not value)


def _validate_field(
    fitted: ValidatedModel, value: Any, model: type[Node], name: str, path: Path, valid_indexes: dict[str, list[int]]
) -> Any:
    """The value of a field for its model; None if it was refused, ABSENT if it counts as unset."""
    shape = proto_json.field_type(model, name)
    required = field_spec(model, name).mode == "required"
    if value is None:
        if not required:
            fitted.misfits.append(NullValue(path, _is_meaningful_when_empty(model, name, shape)))
        return ABSENT
    if required and _is_empty(value, model, name):
        return None
    if shape.is_list:
        return _validate_list(fitted, value, shape, name, path, valid_indexes)
    taken = _validate_value(fitted, value, shape, path, required=required)
    is_output = field_spec(model, name).mode == "output only"
    return None if taken is ABSENT and is_output else taken  # it stands there, whatever its value


def _is_meaningful_when_empty(model: type[Node], name: str, shape: proto_json.FieldType) -> bool:
    """Whether an empty message has a meaning: it has no fields, or is a union member that needs none."""
    inner = shape.model
    if inner is None or shape.is_list or fields_of_mode(inner, "required"):
        return False
    return not inner.model_fields or any(name in members for members in model.unions.values())


def _validate_list(
    fitted: ValidatedModel,
    value: Any,
    shape: proto_json.FieldType,
    name: str,
    path: Path,
    valid_indexes: dict[str, list[int]],
) -> Any:
    if not isinstance(value, list):
        _report_not_list(fitted, value, proto_json.item_type(shape), path)
        return None
    if shape.model is not None and value and all(isinstance(entry, str) for entry in value):
        fitted.misfits.append(WrongType(path, f"a list of {shape.plural}", value, model=shape.model))
        valid_indexes[name] = []
        return TruncatedList()
    taken: list[Any] = []
    indexes: list[int] = []
    for index, entry in enumerate(value):
        taken_item = _validate_value(fitted, entry, proto_json.item_type(shape), (*path, index), required=False)
        if taken_item is not None and taken_item is not ABSENT:
            taken.append(taken_item)
            indexes.append(index)
    if len(indexes) != len(value):
        valid_indexes[name] = indexes
        return TruncatedList(taken)
    return taken


def _report_not_list(fitted: ValidatedModel, value: Any, item: proto_json.FieldType, path: Path) -> None:
    """Report a value that is not a list; a mapping is validated as the single item."""
    inside = item.model if item.model is not None and _has_known_key(value, item.model) else None
    wrap = _fits(value, item, path) if inside is None else all(key in unknown_field.spellings(inside) for key in value)
    fitted.misfits.append(WrongType(path, f"a list of {item.plural}", value, fits_as_item=wrap, model=item.model))
    if inside is not None:
        _report_misfits(fitted, value, inside, path)


def _fits(value: Any, shape: proto_json.FieldType, path: Path) -> bool:
    """Whether a value that is not a message would be valid as an item."""
    if shape.model is not None or value == "":
        return False
    probe = ValidatedModel(Node.model_construct(), path)
    return _validate_value(probe, value, shape, path, required=False) is not None and not probe.misfits


def _validate_value(
    fitted: ValidatedModel, value: Any, shape: proto_json.FieldType, path: Path, *, required: bool
) -> Any:
    if shape.model is not None:
        if not isinstance(value, Mapping):
            _report_not_mapping(fitted, value, shape.model, path)
            return None
        return _validate_message(fitted, value, shape.model, path)
    if shape.values is not None:
        return _validate_map(fitted, value, shape, shape.values, path)
    taken, misfits = proto_json.parse_scalar(value, shape, path, required=required)
    fitted.misfits.extend(misfits)
    if taken is None and misfits and isinstance(misfits[0], proto_json.AsUnset):
        return ABSENT
    return taken


def _validate_map(
    fitted: ValidatedModel, value: Any, shape: proto_json.FieldType, values: proto_json.FieldType, path: Path
) -> Any:
    if not isinstance(value, Mapping):
        fitted.misfits.append(WrongType(path, shape.singular, value))
        return None
    taken: dict[str, Any] = {}
    valid_keys: list[str] = []
    for key, entry in value.items():
        too_long = list(proto_json.check_length(key, shape.max_key_length, (*path, key), is_key=True))
        fitted.misfits.extend(too_long)
        taken_value = _validate_value(fitted, entry, values, (*path, key), required=False)
        valid_keys += [] if too_long else [key]
        if not too_long and (taken_value is not None or values is proto_json.ANYTHING):
            taken[key] = taken_value
    return taken if len(taken) == len(value) else PartialMapping(taken, value, valid_keys)
