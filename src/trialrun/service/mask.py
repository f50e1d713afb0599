"""Field masks: which fields of a resource an update is about, and what becomes of them (AIP-134, AIP-161).

Resources are JSON objects here, so that what a mask puts together can be checked by the linter unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from trialrun.lazy_dataclass import dataclass
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


@dataclass(frozen=True)
class FieldMask:
    """The fields that change; `ignored` were named, but only the service sets them. `all_fields`: all are.

    `messages` are set without a field: they are there after the update, and the fields that they have stay.
    """

    paths: tuple[Path, ...]
    ignored: tuple[str, ...] = ()
    all_fields: bool = False
    messages: tuple[Path, ...] = ()


def parse_mask(text: str | None, given: Json, model: type[Node]) -> FieldMask:
    """The mask that a request asks for: of its text, or of the fields that it sets where there is no text.

    Paths are camelCase or snake_case. Raises INVALID_ARGUMENT for a path that leads nowhere.
    """
    names = [path.strip() for path in (text or "").split(",") if path.strip()]
    if not names:
        populated = [path for path in _populated_paths(given, model) if not _is_service_owned(path, model)]
        messages = tuple(path for path in populated if _is_empty_message(given, path, model))
        return FieldMask(tuple(path for path in populated if path not in messages), messages=messages)
    if "*" in names:
        return FieldMask((), all_fields=True)
    paths = {name: _resolve_path(name, model) for name in names}
    ignored = tuple(name for name, path in paths.items() if _is_service_owned(path, model))
    return FieldMask(tuple(path for name, path in paths.items() if name not in ignored), ignored)


def apply_mask(current: Json, given: Json, mask: FieldMask, model: type[Node]) -> Json:
    """The resource after the update: what the mask names is as given, or gone where it is not given.

    A member of a union that is set takes the place of the others.
    """
    if mask.all_fields:
        service_owned = {name: value for name, value in current.items() if _is_service_owned((name,), model)}
        return {**without_service_fields(given, model), **service_owned}
    result = deepcopy(current)
    values = {path: _get(given, path, model) for path in mask.paths}
    for path in (*mask.messages, *(path for path, value in values.items() if value is not None)):
        _clear_union_siblings(result, path, model)
    for path in mask.messages:
        _set(result, path, _get(result, path, model) or {})
    for path, value in values.items():
        _set(result, path, value)
    return result


def without_service_fields(given: Json, model: type[Node]) -> Json:
    """A resource without its identifier and the fields that only the service sets."""
    return {
        key: value for key, value in given.items() if not _is_service_owned((_field_name(key, model) or key,), model)
    }


def ignored_field_warnings(mask: FieldMask) -> list[LintWarning]:
    """What is to say about the fields that a mask names in vain."""
    message = '"{}" is set by the service; remove it from the mask'
    return [
        LintWarning(rule="output-only-field", severity="warning", field=FIELD, message=message.format(path))
        for path in mask.ignored
    ]


def _is_service_owned(path: Path, model: type[Node]) -> bool:
    """Whether a path leads to what a caller cannot set: its first field is output only, or names the resource."""
    first = path[0]
    if first not in model.model_fields:
        return False
    return first in ("kind", "name", "etag") or field_spec(model, first).mode == "output only"


def _populated_paths(given: Json, model: type[Node], above: Path = ()) -> Iterator[Path]:
    """The paths of what a resource sets: of a message the fields that it sets, of anything else itself."""
    for key, value in given.items():
        name = _field_name(key, model) or key
        inner = _type_of_field(name, model)
        if value is None:
            continue
        if inner and inner.model and not inner.is_list and isinstance(value, dict) and value:
            yield from _populated_paths(value, inner.model, (*above, name))
        else:
            yield (*above, name)


def _is_empty_message(given: Json, path: Path, model: type[Node]) -> bool:
    """Whether a request sets a message, and none of its fields."""
    inner: type[Node] | None = model
    for name in path:
        field_type = _type_of_field(name, inner) if inner else None
        inner = field_type.model if field_type and not field_type.is_list else None
    return inner is not None and _get(given, path, model) == {}


def _resolve_path(text: str, model: type[Node]) -> Path:
    """The fields that a path names, in camelCase."""
    path: list[str] = []
    current_type: FieldType | None = FieldType("the resource", "resources", model=model)
    for segment in _split_segments(text):
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


def _split_segments(text: str) -> list[str]:
    matches = list(SEGMENT.finditer(text))
    if "".join(match[0] for match in matches) != text or text.startswith("."):
        raise _invalid_mask(text, "write fields with dots between them, and backticks around a key with a dot")
    return [match[2] if match[1] is None else match[1].replace("``", "`") for match in matches]


def _unknown_field(text: str, segment: str, model: type[Node]) -> ServiceError:
    if members := unions(model).get(segment):
        return _invalid_mask(text, f'"{segment}" is a union; name one of its members: {", ".join(members)}')
    what_to_do = did_you_mean(
        segment, model.model_fields, otherwise=f"there are {', '.join(sorted(_settable_fields(model)))}"
    )
    return _invalid_mask(text, f'{model.__name__} has no field "{segment}"{what_to_do}')


def _settable_fields(model: type[Node]) -> list[str]:
    return [name for name in model.model_fields if name != "kind" and field_spec(model, name).mode != "output only"]


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
    """Take away the other members of the unions that a path sets a member of."""
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
