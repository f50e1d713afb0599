"""Field masks: which fields of a resource an update is about, and what becomes of them (AIP-134, AIP-161).

Resources are JSON objects here, so that what a mask puts together can be judged by the linter as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node, facts
from trialrun.model.proto_json import Shape, shape
from trialrun.model.suggest import nearest, snake_case
from trialrun.model.unions import unions
from trialrun.service.error import ServiceError, invalid
from trialrun.service.lint_request import Remark

FIELD = "updateMask"
SEGMENT = re.compile(r"\.?(?:`((?:[^`]|``)*)`|([^.`]+))")
Path = tuple[str, ...]
Json = dict[str, Any]


@dataclass(frozen=True)
class Mask:
    """The fields that change; `ignored` were named, but only the service sets them. `whole` stands for all fields.

    `messages` are set without a field: they are there after the update, and the fields that they have stay.
    """

    paths: tuple[Path, ...]
    ignored: tuple[str, ...] = ()
    whole: bool = False
    messages: tuple[Path, ...] = ()


def mask(text: str | None, given: Json, model: type[Node]) -> Mask:
    """The mask that a request asks for: of its text, or of the fields that it sets where there is no text.

    Paths are camelCase or snake_case. Raises INVALID_ARGUMENT for a path that leads nowhere.
    """
    names = [path.strip() for path in (text or "").split(",") if path.strip()]
    if not names:
        found = [path for path in _populated(given, model) if not _is_of_the_service(path, model)]
        messages = tuple(path for path in found if _is_empty_message(given, path, model))
        return Mask(tuple(path for path in found if path not in messages), messages=messages)
    if "*" in names:
        return Mask((), whole=True)
    paths = {name: _resolved(name, model) for name in names}
    ignored = tuple(name for name, path in paths.items() if _is_of_the_service(path, model))
    return Mask(tuple(path for name, path in paths.items() if name not in ignored), ignored)


def merged(current: Json, given: Json, mask: Mask, model: type[Node]) -> Json:
    """The resource after the update: what the mask names is as given, or gone where it is not given.

    A member of a union that is set takes the place of the others.
    """
    if mask.whole:
        kept = {name: value for name, value in current.items() if _is_of_the_service((name,), model)}
        return {**without_service_fields(given, model), **kept}
    result = deepcopy(current)
    values = {path: _value(given, path, model) for path in mask.paths}
    for path in (*mask.messages, *(path for path, value in values.items() if value is not None)):
        _make_room(result, path, model)
    for path in mask.messages:
        _put(result, path, _value(result, path, model) or {})
    for path, value in values.items():
        _put(result, path, value)
    return result


def without_service_fields(given: Json, model: type[Node]) -> Json:
    """A resource without its identifier and the fields that only the service sets."""
    return {key: value for key, value in given.items() if not _is_of_the_service((_name(key, model) or key,), model)}


def ignored(mask: Mask) -> list[Remark]:
    """What is to be said of the fields that a mask names in vain."""
    message = '"{}" is set by the service; take it out of the mask'
    return [
        Remark(rule="output-only-field", severity="warning", field=FIELD, message=message.format(path))
        for path in mask.ignored
    ]


def _is_of_the_service(path: Path, model: type[Node]) -> bool:
    """Whether a path leads to what a caller cannot set: its first field is output only, or names the resource."""
    first = path[0]
    if first not in model.model_fields:
        return False
    return first in ("kind", "name", "etag") or facts(model, first).mode == "output only"


def _populated(given: Json, model: type[Node], above: Path = ()) -> Iterator[Path]:
    """The paths of what a resource sets: of a message the fields that it sets, of anything else itself."""
    for key, value in given.items():
        name = _name(key, model) or key
        inner = _shape(name, model)
        if value is None:
            continue
        if inner and inner.model and not inner.listed and isinstance(value, dict) and value:
            yield from _populated(value, inner.model, (*above, name))
        else:
            yield (*above, name)


def _is_empty_message(given: Json, path: Path, model: type[Node]) -> bool:
    """Whether a request sets a message, and none of its fields."""
    inner: type[Node] | None = model
    for name in path:
        found = _shape(name, inner) if inner else None
        inner = found.model if found and not found.listed else None
    return inner is not None and _value(given, path, model) == {}


def _resolved(text: str, model: type[Node]) -> Path:
    """The fields that a path names, in camelCase."""
    path: list[str] = []
    here: Shape | None = Shape("the resource", "resources", model=model)
    for segment in _segments(text):
        if here is None or not (here.model or here.values) or here.listed:
            raise _unknown(text, f'"{path[-1]}" has no fields that a mask can name; end the path with it')
        if here.values:
            path.append(segment)
            here = here.values
            continue
        assert here.model is not None
        name = _name(segment, here.model)
        if name is None:
            raise _no_field(text, segment, here.model)
        path.append(name)
        here = _shape(name, here.model)
    return tuple(path)


def _segments(text: str) -> list[str]:
    found = list(SEGMENT.finditer(text))
    if "".join(match[0] for match in found) != text or text.startswith("."):
        raise _unknown(text, "write fields with dots between them, and backticks around a key with a dot")
    return [match[2] if match[1] is None else match[1].replace("``", "`") for match in found]


def _no_field(text: str, segment: str, model: type[Node]) -> ServiceError:
    if members := unions(model).get(segment):
        return _unknown(text, f'"{segment}" is a union; name one of its members: {", ".join(members)}')
    near = nearest(segment, model.model_fields)
    what_to_do = f'; did you mean "{near}"?' if near else f"; there are {', '.join(sorted(_names(model)))}"
    return _unknown(text, f'{model.__name__} has no field "{segment}"{what_to_do}')


def _names(model: type[Node]) -> list[str]:
    return [name for name in model.model_fields if name != "kind" and facts(model, name).mode != "output only"]


def _unknown(text: str, message: str) -> ServiceError:
    return invalid(FIELD, "invalid-field-mask", f'"{text}": {message}')


def _name(key: str, model: type[Node]) -> str | None:
    """The field that a key of a request means, which may be in snake_case."""
    if key in model.model_fields:
        return key
    return next((name for name in model.model_fields if snake_case(name) == key), None)


def _shape(name: str, model: type[Node]) -> Shape | None:
    return shape(model, name) if name in model.model_fields else None


def _value(given: Any, path: Path, model: type[Node] | None) -> Any:
    """What a request has at a path, None for nothing; its keys may be in snake_case."""
    for name in path:
        if not isinstance(given, Mapping):
            return None
        keys = [key for key in given if key == name or (model and _name(key, model) == name)]
        if len(keys) > 1:
            message = f'"{keys[1]}" is another spelling of "{keys[0]}"; remove one of the two'
            raise invalid(name, "duplicate-key", message)
        given = given[keys[0]] if keys else None
        inner = _shape(name, model) if model else None
        model = inner.model if inner else None
    return given


def _make_room(result: Json, path: Path, model: type[Node]) -> None:
    """Take away the other members of the unions that a path sets a member of."""
    here: Any = result
    inner: type[Node] | None = model
    for name in path:
        if inner is None or not isinstance(here, dict):
            return
        for members in unions(inner).values():
            for other in members if name in members else ():
                if other != name:
                    here.pop(other, None)
        found = _shape(name, inner)
        here, inner = here.get(name), found.model if found else None


def _put(result: Json, path: Path, value: Any) -> None:
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
