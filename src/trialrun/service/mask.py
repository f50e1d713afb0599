"""Field masks: which fields of a resource an update is about, and what becomes of them (AIP-134, AIP-161).

Resources are JSON objects here, so that what a mask puts together can be checked by the linter unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from trialrun.model.node import Node, field_spec
from trialrun.model.proto_json import FieldType, field_type
from trialrun.model.unions import unions
from trialrun.service.error import ServiceError, invalid_argument
from trialrun.service.lint_request import LintWarning
from trialrun.values.suggest import did_you_mean, snake_case

FIELD = "updateMask"
SEGMENT = re.compile(r"\.?(?:`((?:[^`]|``)*)`|([^.`]+))")
Path = tuple[str, ...]
Json = dict[str, Any]


def update_fields(current: Json, given: Json, mask: str | None, model: type[Node]) -> tuple[Json, list[LintWarning]]:
    """What callers may set of a resource after an update, and what is to say about fields that the mask names in vain.

    What the mask names is as given, or gone where it is not given; a member of a union that is set takes the place of
    the others. Without a mask it is what the request sets: of a message the fields that it sets, and one without a
    field is there afterwards with the fields that it has. Paths are camelCase or snake_case. Raises INVALID_ARGUMENT
    for a path that leads nowhere.
    """
    names = [path.strip() for path in (mask or "").split(",") if path.strip()]
    if "*" in names:
        return without_service_fields(given, model), []
    named = {name: _resolve_path(name, model) for name in names}
    ignored = [name for name, path in named.items() if _is_service_owned(path[0], model)]
    populated = {} if names else dict(_populated_paths(given, model))
    paths = [path for name, path in named.items() if name not in ignored] or populated
    values = {path: _get(given, path, model) for path in paths if not _is_service_owned(path[0], model)}
    result = deepcopy(current)
    for path, value in values.items():
        if value is not None:
            _clear_union_siblings(result, path, model)
    empty_messages = [path for path in values if populated.get(path)]
    for path in empty_messages:
        _set(result, path, _get(result, path, model) or {})
    for path, value in values.items():
        if path not in empty_messages:
            _set(result, path, value)
    message = '"{}" is set by the service; remove it from the mask'
    return result, [
        LintWarning(rule="output-only-field", severity="warning", field=FIELD, message=message.format(name))
        for name in ignored
    ]


def without_service_fields(given: Json, model: type[Node]) -> Json:
    """A resource without its identifier and the fields that only the service sets."""
    return {key: value for key, value in given.items() if not _is_service_owned(_field_name(key, model) or key, model)}


def _is_service_owned(field: str, model: type[Node]) -> bool:
    """Whether a field of a resource is output only, or names the resource, so that a caller cannot set it."""
    if field not in model.model_fields:
        return False
    return field in ("kind", "name", "etag") or field_spec(model, field).mode == "output only"


def _populated_paths(given: Json, model: type[Node], above: Path = ()) -> Iterator[tuple[Path, bool]]:
    for key, value in given.items():
        name = _field_name(key, model) or key
        inner = _type_of_field(name, model)
        message = inner.model if inner and not inner.is_list else None
        if message and isinstance(value, dict) and value:
            yield from _populated_paths(value, message, (*above, name))
        elif value is not None:
            yield (*above, name), message is not None and value == {}


def _resolve_path(text: str, model: type[Node]) -> Path:
    matches = list(SEGMENT.finditer(text))
    if "".join(match[0] for match in matches) != text or text.startswith("."):
        raise _invalid_mask(text, "write fields with dots between them, and backticks around a key with a dot")
    path: list[str] = []
    current_type: FieldType | None = FieldType("the resource", "resources", model=model)
    for segment in (match[2] if match[1] is None else match[1].replace("``", "`") for match in matches):
        if current_type is None or not (current_type.model or current_type.values) or current_type.is_list:
            raise _invalid_mask(text, f'"{path[-1]}" has no fields that a mask can name; end the path with it')
        if current_type.values:
            path.append(segment)
            current_type = current_type.values
            continue
        assert current_type.model is not None
        name = _field_name(segment, current_type.model)
        if name is None:
            raise _unknown_field(text, segment, current_type.model)
        path.append(name)
        current_type = _type_of_field(name, current_type.model)
    return tuple(path)


def _unknown_field(text: str, segment: str, model: type[Node]) -> ServiceError:
    if members := unions(model).get(segment):
        return _invalid_mask(text, f'"{segment}" is a union; name one of its members: {", ".join(members)}')
    fields = model.model_fields
    settable = [name for name in fields if name != "kind" and field_spec(model, name).mode != "output only"]
    what_to_do = did_you_mean(segment, fields, otherwise=f"there are {', '.join(sorted(settable))}")
    return _invalid_mask(text, f'{model.__name__} has no field "{segment}"{what_to_do}')


def _invalid_mask(text: str, message: str) -> ServiceError:
    return invalid_argument(FIELD, "invalid-field-mask", f'"{text}": {message}')


def _field_name(key: str, model: type[Node]) -> str | None:
    """The field that a key of a request means, which may be in snake_case."""
    if key in model.model_fields:
        return key
    return next((name for name in model.model_fields if snake_case(name) == key), None)


def _type_of_field(name: str, model: type[Node]) -> FieldType | None:
    return field_type(model, name) if name in model.model_fields else None


def _get(given: Any, path: Path, model: type[Node] | None) -> Any:
    """What a request has at a path, None for nothing; its keys may be in snake_case."""
    for name in path:
        if not isinstance(given, Mapping):
            return None
        keys = [key for key in given if key == name or (model and _field_name(key, model) == name)]
        if len(keys) > 1:
            message = f'"{keys[1]}" is another spelling of "{keys[0]}"; remove one of the two'
            raise invalid_argument(name, "duplicate-key", message)
        given = given[keys[0]] if keys else None
        inner = _type_of_field(name, model) if model else None
        model = inner.model if inner else None
    return given


def _clear_union_siblings(result: Json, path: Path, model: type[Node]) -> None:
    message: Any = result
    inner: type[Node] | None = model
    for name in path:
        if inner is None or not isinstance(message, dict):
            return
        for members in unions(inner).values():
            for member in members if name in members else ():
                if member != name:
                    message.pop(member, None)
        field_type = _type_of_field(name, inner)
        message, inner = message.get(name), field_type.model if field_type else None


def _set(result: Json, path: Path, value: Any) -> None:
    *above, last = path
    for name in above:
        inner = result.get(name)
        if not isinstance(inner, dict):
            if value is None:
                return
            inner = result[name] = {}
        result = inner
    if value is None:
        result.pop(last, None)
    else:
        result[last] = value
