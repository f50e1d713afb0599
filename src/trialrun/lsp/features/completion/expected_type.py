"""The type that the model expects at the cursor, the messages around it, and the values that it accepts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from trialrun.lsp.features.completion.cursor import Cursor, Step
from trialrun.lsp.features.completion.partial_parser import (
    MARK,
    PartialEntry,
    PartialMapping,
    PartialNode,
    PartialScalar,
    PartialSequence,
    resolved,
)
from trialrun.model import proto_json
from trialrun.model.kinds import begun_kind, kind_of, model_of
from trialrun.model.node import Node, TextFormat, field_spec
from trialrun.model.proto_json import ANYTHING, FieldType, field_type, item_type
from trialrun.model.wrapper import KIND_OF_WRAPPER, WRAPPER_KEYS
from trialrun.parser.scalars import parse_plain_scalar
from trialrun.values.suggest import equivalent_name

_NO_ID = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class EnclosingMessage:
    """A message around the cursor: its model, the field that leads to the cursor, and its content."""

    model: type[Node]
    field: str
    mapping: PartialMapping


@dataclass(frozen=True, slots=True)
class ExpectedType:
    """The expected type at the cursor. `of` are the messages around it, innermost last.

    At a key, `shape` is the type of its mapping; `kind` is that of the resource, None if unknown. `steps` lead to the
    cursor; `stem` is the name of the file, as the end of a resource name.
    """

    kind: str | None
    shape: FieldType
    of: tuple[EnclosingMessage, ...]
    root: PartialMapping
    steps: tuple[Step, ...] = ()
    stem: str = ""

    @property
    def text_format(self) -> TextFormat | None:
        """The format of the text at the cursor."""
        return field_spec(self.of[-1].model, self.of[-1].field).format if self.of else None


def expected_type(cursor: Cursor, by_path: str | None) -> ExpectedType | None:
    """The expected type at the cursor; `by_path` is the kind from the settings. None below an unknown field."""
    steps = cursor.steps
    if steps and isinstance(steps[0][0], PartialSequence):
        steps = steps[1:]
    root = steps[0][0] if steps else PartialMapping()
    if not isinstance(root, PartialMapping):
        return None
    kind = kind_of(_plain(root), by_path=by_path)
    if kind is None and (inner := _inside_wrapper(steps)) is not None:
        kind, steps = inner
        root = steps[0][0] if steps and isinstance(steps[0][0], PartialMapping) else root
    kind = kind or begun_kind(_plain(root))
    at_root = ANYTHING if kind is None else FieldType("a mapping", "mappings", model=model_of(kind))
    of: list[EnclosingMessage] = []
    here, stem = at_root, cursor.source.path.rpartition("/")[2].partition(".")[0].lower()
    for container, step in steps[:-1] if cursor.is_key else steps:
        if isinstance(container, PartialSequence):
            if not here.is_list:
                return None
            here = item_type(here)
        elif here.values is not None and not here.is_list:
            here = here.values
        elif step != "<<" or here.model is None or not cursor.word.startswith("*"):  # else an alias that is merged
            name = equivalent_name(str(step), here.model.model_fields) if here.model and not here.is_list else None
            if here.model is None or name is None:
                here, of = ANYTHING, []
                if kind:
                    return None
                break
            of.append(EnclosingMessage(here.model, name, container))
            here = field_type(here.model, name)
    return ExpectedType(kind, here, tuple(of), root, steps, _NO_ID.sub("-", stem).strip("-"))


def _inside_wrapper(steps: tuple[Step, ...]) -> tuple[str, tuple[Step, ...]] | None:
    """The kind of the resource in a wrapper, and the path inside; None if the wrapper does not determine it."""
    for depth, (container, step) in enumerate(steps[:-1]):
        kind = KIND_OF_WRAPPER.get(step) if isinstance(step, str) else None
        if isinstance(container, PartialMapping) and step in WRAPPER_KEYS:
            inner = steps[depth + 1 :]
            inner = inner[1:] if inner and isinstance(inner[0][0], PartialSequence) else inner
            if inner and isinstance(inner[0][0], PartialMapping) and (kind := kind_of(_plain(inner[0][0])) or kind):
                return kind, inner
    return None


def _plain(root: PartialMapping) -> dict[str, str]:
    """The fields of a resource that determine its kind, if they are texts."""
    plain: dict[str, str] = {}
    for mapping in (*reversed(root.merged()), root):
        for entry in mapping.entries:
            if not entry.is_open:
                value = resolved(entry.value)
                plain[entry.key.text] = value.text.replace(MARK, "") if isinstance(value, PartialScalar) else ""
    return plain


MAX_ITEMS = 20
"""Maximum number of list items or mapping fields that are checked."""


def accepts(shape: FieldType, value: PartialNode | None) -> bool:
    """Whether a field accepts an existing value; every field accepts a missing one."""
    value = resolved(value)
    if value is None or shape is ANYTHING:
        return True
    if isinstance(value, PartialSequence):
        items = value.items[:MAX_ITEMS]
        return shape.entity_id or (shape.is_list and all(accepts(item_type(shape), item) for item in items))
    if shape.is_list:
        return False
    return _takes_scalar(shape, value) if isinstance(value, PartialScalar) else _takes_mapping(shape, value)


def _takes_mapping(shape: FieldType, value: PartialMapping) -> bool:
    model, values, entries = shape.model, shape.values, value.entries[:MAX_ITEMS]
    if model is None:
        return values is not None and all(accepts(values, entry.value) for entry in entries)
    if not has_fields(model, [entry.key.text for entry in entries if MARK not in entry.key.text]):
        return False
    named = ((_name(model, entry.key.text), entry.value) for entry in entries)
    return all(name is None or accepts(field_type(model, name), inner) for name, inner in named)


def has_fields(model: type[Node], keys: list[str]) -> bool:
    """Whether a message has fields with all these names."""
    return model.further_fields != "refused" or all(key == "<<" or _name(model, key) is not None for key in keys)


def accepts_entry(model: type[Node], entry: PartialEntry) -> bool:
    """Whether a message has the field of an entry, and it accepts the value."""
    name = _name(model, entry.key.text)
    return name is not None and accepts(field_type(model, name), entry.value)


@lru_cache(maxsize=4096)
def _name(model: type[Node], key: str) -> str | None:
    return equivalent_name(key, model.model_fields)


def _takes_scalar(shape: FieldType, value: PartialScalar) -> bool:
    if shape.model is not None or shape.values is not None:
        return not value.text.replace(MARK, "")
    text = value.text.replace(MARK, "")
    decoded = parse_plain_scalar(text).value if value.style == "plain" else text
    return decoded is None or not proto_json.parse_scalar(decoded, shape, (), required=False)[1]
