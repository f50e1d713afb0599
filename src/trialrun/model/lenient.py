"""Field-by-field validation: reports every misfit and keeps the valid content. The slow path for invalid values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from trialrun.diagnostic import Path
from trialrun.model.misfit import (
    Misfit,
    MissingField,
    NonCanonicalForm,
    NullValue,
    TwoSpellings,
    UnionConflict,
    UnspecifiedEnumValue,
    WrongType,
)
from trialrun.model.node import (
    Node,
    PartialMapping,
    PresentFields,
    TruncatedList,
    field_spec,
    fields_of_mode,
    message_fields,
    unions,
    value_type,
)
from trialrun.model.proto_json import ANYTHING, FieldType, field_type, item_type, parse_scalar, too_long
from trialrun.model.unknown_field import intended_fields, spellings, unknown_field, without_misplaced
from trialrun.model.validated import ValidatedModel
from trialrun.terraform import Unknown

ABSENT = object()
Entry = tuple[tuple[str, ...], Any]
"""The keys that lead from a message to the value of a field, several below the name of a union, and the value."""


def validate_leniently(
    value: Any, model: type[Node], *, root: Path = (), correct_typos: bool = False
) -> ValidatedModel:
    """A model of the valid content of a value that was refused as a whole, and every misfit in the rest."""
    validated = ValidatedModel(model.model_construct(), root, correct_typos=correct_typos)
    validated.node = _Reading(validated, model).message(value, model, root) or validated.node
    validated.misfits = without_misplaced(validated.misfits, model, root, validated.meanings)
    return validated


class _Reading:
    """One reading of a value of a model, which fills in `validated`."""

    def __init__(self, validated: ValidatedModel, root_model: type[Node]) -> None:
        self.validated = validated
        self.misfits = validated.misfits
        self.root_model = root_model

    def message(self, value: Any, model: type[Node], path: Path) -> Node | None:
        """The valid content of a message; None for a value that is not a mapping."""
        if not isinstance(value, Mapping):
            self.misfits.append(WrongType(path, "a mapping", value, model=model))
            if isinstance(value, list) and len(value) == 1 and _has_known_key(value[0], model):
                self._report_inside(value[0], model, (*path, 0))
            return None
        if path != self.validated.root and _is_checked_alike(model) and (node := model.accept(value)) is not None:
            return node
        first = len(self.misfits)
        present: set[str] = set()
        values: dict[str, Any] = {}
        entries: dict[str, Entry] = {}
        for name in self._fields(value, model, path, entries):
            keys, written = entries[name]
            taken = self._field(written, model, name, (*path, *keys))
            if taken is not ABSENT:
                present.add(name)
                if taken is not None:
                    values[name] = taken
        self.misfits[first:] = _nulls_beside_members(self.misfits[first:], model, path, entries, present)
        known = {name for name in present if name not in entries or not isinstance(entries[name][1], Unknown)}
        self.misfits.extend(_union_conflicts(model, path, entries, known))
        present |= intended_fields(
            self.misfits[first:], path, self.root_model, self.validated.root, self.validated.meanings
        )
        self.misfits.extend(_missing_fields(model, path, present, entries))
        further = {key: inner for key, inner in value.items() if key not in spellings(model)}
        if model.further_fields == "allowed":
            values |= further
        unknown = {
            name: found
            for name in present & entries.keys()
            if (found := _unknown_in(entries[name][1], values.get(name)))
        }
        fields = present | further.keys()
        node = model.model_construct(_fields_set=PresentFields(fields, unknown) if unknown else fields, **values)
        self.validated.file_keys.update(
            {(id(node), name): keys for name, (keys, _) in entries.items() if keys != (name,)}
        )
        return node

    def _report_inside(self, value: Any, model: type[Node], path: Path) -> None:
        """Report the misfits inside a message that cannot be part of the model."""
        node = self.message(value, model, path)
        if self.validated.correct_typos and node is not None:
            self.validated.detached.append((node, path))

    def _fields(
        self,
        value: Mapping[str, Any],
        model: type[Node],
        path: Path,
        entries: dict[str, Entry],
        above: tuple[str, ...] = (),
    ) -> Iterator[str]:
        """Yield the fields of a mapping that are added to `entries`; reports other spellings and unknown keys.

        `above` are the keys of unions that lead from the message at `path` to the mapping. With `correct_typos`, the
        content of an unknown key is that of the intended field.
        """
        names = spellings(model)
        for key in value:
            name = names.get(key)
            if name is None and model.further_fields != "allowed":
                yield from self._unknown_key(key, value, model, path, entries, above)
            elif name in entries:
                self.misfits.append(TwoSpellings((*path, *above, key), (*path, *entries[name][0])))
            elif name is not None:
                entries[name] = (*above, key), value[key]
                if key != name:
                    message = f'"{key}" is the snake_case spelling; write "{name}"'
                    self.misfits.append(NonCanonicalForm((*path, *above, key), message, name, is_key=True))
                yield name

    def _unknown_key(
        self,
        key: str,
        value: Mapping[str, Any],
        model: type[Node],
        path: Path,
        entries: dict[str, Entry],
        above: tuple[str, ...],
    ) -> Iterator[str]:
        validated, meanings = self.validated, self.validated.meanings
        misfit = unknown_field(
            key, value, model, (*path, *above), root=self.root_model, base=validated.root, meanings=meanings
        )
        if not validated.correct_typos:
            self.misfits.append(replace(misfit, is_read=False))
            return
        self.misfits.append(misfit)
        if misfit.union:
            meanings[misfit.path] = ()
            yield from self._fields(value[key], model, path, entries, (*above, key))
        elif misfit.is_read and misfit.candidate:
            meanings[misfit.path] = (misfit.candidate,)
            if misfit.candidate_is_free and misfit.candidate not in entries:
                entries[misfit.candidate] = (*above, key), value[key]
                yield misfit.candidate
            else:
                self._detach(value[key], model, misfit.candidate, misfit.path)
        elif misfit.is_read:
            self._detach(value[key], misfit.owners[0].model, misfit.owners[0].field, misfit.path)

    def _detach(self, value: Any, model: type[Node], name: str, path: Path) -> None:
        """Validate the value of a field that the message already has, or that belongs in another message."""
        taken = self._field(value, model, name, path)
        if isinstance(taken, Node):
            self.validated.detached.append((taken, path))
        elif isinstance(taken, list):
            indexes = taken.indexes if isinstance(taken, TruncatedList) else range(len(taken))
            nodes = ((node, (*path, at)) for at, node in zip(indexes, taken, strict=True) if isinstance(node, Node))
            self.validated.detached.extend(nodes)

    def _field(self, value: Any, model: type[Node], name: str, path: Path) -> Any:
        """The value of a field for its model; None if it was refused, ABSENT if it counts as unset."""
        shape, mode = field_type(model, name), field_spec(model, name).mode
        if isinstance(value, Unknown):
            self._unknown(value, shape, path)
            return None
        if value is None:
            if mode != "required":
                self.misfits.append(NullValue(path, _is_meaningful_when_empty(model, name, shape)))
            return ABSENT
        if mode == "required" and _is_empty(value, model, name):
            return None
        if shape.is_list:
            return self._list(value, shape, path)
        taken = self._value(value, shape, path, required=mode == "required")
        return None if taken is ABSENT and mode == "output only" else taken  # it stands there, whatever its value

    def _unknown(self, value: Unknown, shape: FieldType, path: Path) -> None:
        """A value that counts as present, and is no misfit; what it holds if it exists is validated by itself."""
        if value.content is not None and shape.model is not None:
            self._report_inside(value.content, shape.model, path)

    def _list(self, value: Any, shape: FieldType, path: Path) -> list[Any] | None:
        item = item_type(shape)
        if not isinstance(value, list):
            inside = item.model if item.model is not None and _has_known_key(value, item.model) else None
            wrap = _fits(value, item, path) if inside is None else all(key in spellings(inside) for key in value)
            expected = f"a list of {item.plural}"
            self.misfits.append(WrongType(path, expected, value, fits_as_item=wrap, model=item.model))
            if inside is not None:  # the mapping is validated as the single item
                self._report_inside(value, inside, path)
            return None
        if shape.model is not None and value and all(isinstance(entry, str) for entry in value):
            self.misfits.append(WrongType(path, f"a list of {shape.plural}", value, model=shape.model))
            return TruncatedList()
        read = ((at, self._value(entry, item, (*path, at), required=False)) for at, entry in enumerate(value))
        taken = {at: entry for at, entry in read if entry is not None and entry is not ABSENT}
        return [*taken.values()] if len(taken) == len(value) else TruncatedList(taken.values(), taken)

    def _value(self, value: Any, shape: FieldType, path: Path, *, required: bool) -> Any:
        if isinstance(value, Unknown):
            self._unknown(value, shape, path)
            return None
        if shape.model is not None:
            return self.message(value, shape.model, path)
        if shape.values is not None:
            return self._map(value, shape, shape.values, path)
        taken, misfit = parse_scalar(value, shape, path, required=required)
        if misfit is not None:
            self.misfits.append(misfit)
        return ABSENT if isinstance(misfit, UnspecifiedEnumValue) else taken

    def _map(self, value: Any, shape: FieldType, values: FieldType, path: Path) -> Any:
        if not isinstance(value, Mapping):
            self.misfits.append(WrongType(path, shape.singular, value))
            return None
        taken: dict[str, Any] = {}
        valid_keys: list[str] = []
        for key, entry in value.items():
            misfit = too_long(key, shape.max_key_length, (*path, key), is_key=True)
            if misfit is not None:
                self.misfits.append(misfit)
            taken_value = self._value(entry, values, (*path, key), required=False)
            if misfit is None:
                valid_keys.append(key)
                if taken_value is not None or values is ANYTHING:
                    taken[key] = taken_value
        return taken if len(taken) == len(value) else PartialMapping(taken, value, valid_keys)


@cache
def _is_checked_alike(model: type[Node]) -> bool:
    """Whether the model refuses everything that this module reports, so that values it accepts are skipped."""
    if any(value_type(model, name) is Any for name in model.model_fields):
        return False
    return all(_is_checked_alike(part) for _, _, part in message_fields(model))


def _unknown_in(value: Any, taken: Any) -> Unknown | None:
    """What is unknown of a value, if only this was not taken: it, or items of it with where they are, in one text."""
    if isinstance(value, Unknown):
        return value
    if isinstance(taken, Node):
        return None
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    items = [(at, item) for at, item in pairs if isinstance(item, Unknown)]
    if not items or len(items) + len(taken or ()) < len(value):
        return None
    return replace(items[0][1], text=", ".join(f"{at}: {item!r}" for at, item in items))


def _has_known_key(value: Any, model: type[Node]) -> bool:
    """Whether a mapping has any key of the message."""
    return isinstance(value, Mapping) and any(key in spellings(model) for key in value)


def _union_conflicts(
    model: type[Node], path: Path, entries: Mapping[str, Entry], present: set[str]
) -> Iterator[UnionConflict]:
    """Each member of a union after the first, in file order; null counts as unset."""
    for union, members in unions(model).items():
        set_members = [name for name in entries if name in present and name in members]
        for name in set_members[1:]:
            first = set_members[0]
            paths = (*path, *entries[name][0]), (*path, *entries[first][0])
            values = {member: entries[member][1] for member in (name, first)}
            is_false = any(value is False for value in values.values())
            empty = next((member for member, value in values.items() if value in ("", [])), None)
            yield UnionConflict(paths[0], model, union, name, paths[1], first, is_false, empty)


def _nulls_beside_members(
    misfits: list[Misfit], model: type[Node], path: Path, entries: Mapping[str, Entry], present: set[str]
) -> Iterator[Misfit]:
    """The misfits, in which null suggests `{}` only if no other member of the union is present."""
    taken = {union for union, names in unions(model).items() if present.intersection(names)}
    names = {(*path, *keys): name for name, (keys, _) in entries.items()}
    for misfit in misfits:
        if isinstance(misfit, NullValue) and misfit.empty_message and misfit.path in names:
            field_unions = {union for union, members in unions(model).items() if names[misfit.path] in members}
            misfit = replace(misfit, empty_message=not field_unions & taken)
            taken |= field_unions
        yield misfit


def _missing_fields(
    model: type[Node], path: Path, present: set[str], entries: Mapping[str, Entry]
) -> Iterator[MissingField]:
    required = fields_of_mode(model, "required")
    for name in model.model_fields if required else ():
        if name not in required:
            continue
        if name in entries:
            keys, value = entries[name]
            if _is_empty(value, model, name):
                yield MissingField((*path, *keys), model, name, is_present=True, value=value)
        elif name not in present:
            yield MissingField(path, model, name, is_present=False)


def _is_empty(value: Any, model: type[Node], name: str) -> bool:
    """Whether the value of a required field counts as missing: null, empty text, an empty list or an empty map."""
    is_map = isinstance(value, Mapping) and field_type(model, name).values is not None
    return value is None or ((isinstance(value, (str, list)) or is_map) and not value)


def _is_meaningful_when_empty(model: type[Node], name: str, shape: FieldType) -> bool:
    """Whether an empty message has a meaning: it has no fields, or is a union member that needs none."""
    inner = shape.model
    if inner is None or shape.is_list or fields_of_mode(inner, "required"):
        return False
    return not inner.model_fields or any(name in members for members in model.unions.values())


def _fits(value: Any, shape: FieldType, path: Path) -> bool:
    """Whether a value that is not a message would be valid as an item."""
    if shape.model is not None or value == "":
        return False
    probe = ValidatedModel(Node.model_construct(), path)
    return _Reading(probe, Node)._value(value, shape, path, required=False) is not None and not probe.misfits
