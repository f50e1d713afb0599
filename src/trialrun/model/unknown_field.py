"""Keys that a message does not have: the intended field of each, or the message that it belongs in.

A field may have been written one level too high, too low, or beside. Whether a mapping is of a kind of ours at all is
told by its keys, too: other programs have a `syncConfig` and a `kind: Source`. Those that the kind has are counted
against those that it does not have, down to the messages inside, each key once; a misspelt key, and one that belongs
elsewhere in the kind, counts for neither side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice
from typing import Any

from trialrun.diagnostic import Path
from trialrun.model.misfit import FieldOwner, Misfit, MissingField, UnknownField
from trialrun.model.node import Node, field_spec, message_fields
from trialrun.model.proto_json import field_type
from trialrun.values.suggest import closest_name, equivalent_name, names_by_words, normalize, snake_case, suggest

ENVELOPE = "kind"
Meanings = Mapping[Path, tuple[str, ...]]
"""The intended fields of misspelt keys, by path; empty for the name of a union."""
MAX_LISTED_FIELDS = 12
"""Maximum number of fields listed in a message."""
MAX_DISTANCE = 3
MAX_DISTANCE_IF_COMMON = 1
"""How far away a field is looked for that several messages have, such as `type`."""
MAX_OWNERS = 3


@cache
def spellings(model: type[Node]) -> Mapping[str, str]:
    """By spelling, camelCase or snake_case, the field; camelCase wins if two fields share a spelling."""
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
    """The misfit of an unknown key of `value`, the message at `path`; `base` leads to the root message."""
    if union := named_union(key, value[key], model):
        return UnknownField((*path, key), model, None, False, union=union)
    message_path = field_path(path, root, base, meanings)
    candidate = equivalent_name(key, model.model_fields)
    owners = find_owners(key, root, message_path) if candidate is None and message_path is not None else []
    if candidate is None and not (len(owners) == 1 and owners[0].distance == 1 and not owners[0].is_list_item):
        candidate = _similar_field(key, _settable_fields(model), allow_similar=not owners) or _remaining_field(
            key, value, model
        )
    if candidate is None:
        is_read = len(owners) == 1 and _has_form(value[key], owners[0].model, owners[0].field)
        return UnknownField((*path, key), model, None, False, tuple(owners), is_read=is_read)
    is_free = candidate not in _present_fields(value, model)
    return UnknownField((*path, key), model, candidate, is_free, is_read=_is_clear(key, value[key], model, candidate))


@cache
def _union_names(model: type[Node]) -> Mapping[str, str]:
    """The names of the unions of a message, by normalized spelling."""
    return {normalize(name) + end: name for name in model.unions for end in ("", "union", "oneof", "kind", "choice")}


def named_union(key: str, value: Any, model: type[Node]) -> str | None:
    """The union that a key names, if its value has a member of it.

    The specifications name the unions (`source`, `algorithm_config`), but files contain only their members.
    """
    union = _union_names(model).get(normalize(key))
    if union is None or not isinstance(value, Mapping):
        return None
    return union if any(_names_a_field(entry, value, model) for entry in value) else None


def _names_a_field(key: str, value: Mapping[str, Any], model: type[Node]) -> bool:
    return (
        key in spellings(model)
        or equivalent_name(key, model.model_fields) is not None
        or _similar_field(key, _settable_fields(model), allow_similar=True) is not None
    )


def _is_clear(key: str, value: Any, model: type[Node], candidate: str) -> bool:
    """Whether a value may be validated as the candidate for its key: similar by spelling, or by a word and the form.

    Fields that a file should not have, and null, are not validated: that would report one mistake twice.
    """
    if value is None or candidate not in _settable_fields(model):
        return False
    return bool(equivalent_name(key, (candidate,)) or closest_name(key, (candidate,))) or _has_form(
        value, model, candidate
    )


def _has_form(value: Any, model: type[Node], name: str) -> bool:
    """Whether a value has the form of a field (list, mapping or scalar), and the field may be in a file."""
    type_ = field_type(model, name)
    if value is None or name not in _settable_fields(model):
        return False
    if type_.is_list or isinstance(value, list):
        return type_.is_list and isinstance(value, list)
    return isinstance(value, Mapping) == (type_.model is not None or type_.values is not None)


def _similar_field(key: str, names: tuple[str, ...], *, allow_similar: bool) -> str | None:
    """The one field that shares a word with the key; with `allow_similar`, else the one with a similar spelling."""
    if allow_similar and (near := closest_name(key, names, min_similarity=0.9)):  # a slip
        return near
    matches = names_by_words(key, names)
    if matches:
        return matches[0] if len(matches) == 1 else None
    return closest_name(key, names) if allow_similar else None


def _present_fields(value: Mapping[str, Any], model: type[Node]) -> set[str]:
    """The fields that are in a message, in either spelling. Their number is bounded, unlike that of its keys."""
    return {field for spelling, field in spellings(model).items() if spelling in value}


def _remaining_field(key: str, value: Mapping[str, Any], model: type[Node]) -> str | None:
    """The one absent field that shares a word with the key, and is a list if the value is a list."""
    present = _present_fields(value, model)
    candidates = [name for name in names_by_words(key, _settable_fields(model)) if name not in present]
    if isinstance(value[key], list):
        candidates = [name for name in candidates if field_type(model, name).is_list]
    return candidates[0] if len(candidates) == 1 else None


@cache
def _settable_fields(model: type[Node]) -> tuple[str, ...]:
    """The fields that a file should set: neither deprecated nor output only."""
    return tuple(name for name in model.model_fields if name != ENVELOPE and _is_settable(model, name))


def field_list(model: type[Node]) -> str:
    """The fields that a file may set in a message, as text; long lists are cut."""
    names = _settable_fields(model)
    return ", ".join(names[:MAX_LISTED_FIELDS]) + (", …" if len(names) > MAX_LISTED_FIELDS else "")


def _is_settable(model: type[Node], name: str) -> bool:
    spec = field_spec(model, name)
    return spec.replaced_by is None and spec.mode != "output only"


def field_path(path: Path, root: type[Node], base: Path, meanings: Meanings) -> tuple[str, ...] | None:
    """The fields of the specification on a path of the file, without indexes; None if the path leaves the model."""
    model: type[Node] | None = root
    steps = []
    for depth, step in enumerate(path[len(base) :], start=len(base)):
        if isinstance(step, int):
            continue
        name = spellings(model).get(step) if model else None
        if model is not None and name is None and (meaning := meanings.get(path[: depth + 1])) is not None:
            if not meaning:
                continue
            name = meaning[0]
        if model is None or name is None:
            return None
        steps.append(name)
        model = next((part for field, _, part in message_fields(model) if field == name), None)
    return tuple(steps)


def intended_fields(
    misfits: Iterable[Misfit], path: Path, root: type[Node], base: Path, meanings: Meanings
) -> set[str]:
    """The fields of the message at `path` that its unknown keys were intended to be, or belong below.

    Fields that a file should not have are left out: nothing is missing without them.
    """
    unknown = [misfit for misfit in misfits if isinstance(misfit, UnknownField) and misfit.path[:-1] == path]
    if not unknown:
        return set()
    message_path = field_path(path, root, base, meanings)
    fields = set()
    for misfit in unknown:
        if misfit.candidate:
            fields |= {misfit.candidate} & {*_settable_fields(misfit.model)}
        elif (
            message_path is not None
            and len(misfit.owners) == 1
            and misfit.owners[0].path[: len(message_path)] == message_path
        ):
            fields |= {*misfit.owners[0].path[len(message_path) : len(message_path) + 1]} & {
                *_settable_fields(misfit.model)
            }
    return fields


def without_misplaced(misfits: list[Misfit], root: type[Node], base: Path, meanings: Meanings) -> list[Misfit]:
    """The misfits without those about missing fields that are in the wrong message, where they are already reported."""
    moved = {
        (misfit.owners[0].path, misfit.owners[0].field)
        for misfit in misfits
        if isinstance(misfit, UnknownField) and len(misfit.owners) == 1
    }
    if not moved:
        return misfits
    return [
        misfit
        for misfit in misfits
        if not isinstance(misfit, MissingField)
        or misfit.is_present
        or (field_path(misfit.path, root, base, meanings), misfit.name) not in moved
    ]


def find_owners(key: str, root: type[Node], path: tuple[str, ...]) -> list[FieldOwner]:
    """The nearest messages that have the field which a key spells; `path` leads to the message that does not.

    Nothing when the nearest are too far away or too many to tell which one was meant.
    """
    messages = _messages_with(key, root)
    owners = [
        FieldOwner(steps, is_list_item, name, _distance(path, steps), root.__name__, model)
        for steps, is_list_item, name, model in messages
    ]
    farthest = MAX_DISTANCE if len({model for *_, model in messages}) == 1 else MAX_DISTANCE_IF_COMMON
    nearest = min((owner.distance for owner in owners), default=0)
    closest = [owner for owner in owners if owner.distance == nearest]
    return closest if 0 < nearest <= farthest and len(closest) <= MAX_OWNERS else []


@lru_cache(maxsize=2**8)
def _messages_with(key: str, root: type[Node]) -> list[tuple[tuple[str, ...], bool, str, type[Node]]]:
    """All messages that have the field; people misspell the same few keys again and again."""
    candidates = (
        (steps, is_list_item, equivalent_name(key, model.model_fields), model)
        for steps, is_list_item, model in _messages(root)
    )
    return [
        (steps, is_list_item, name, model)
        for steps, is_list_item, name, model in candidates
        if name is not None and field_spec(model, name).mode != "identifier" and name != "kind"
    ]


@cache
def _messages(root: type[Node]) -> tuple[tuple[tuple[str, ...], bool, type[Node]], ...]:
    """All messages of a model, each with the fields that lead to it; what is deprecated leads nowhere."""
    return tuple(_walk(root, (), is_item=False))


def _walk(
    model: type[Node], steps: tuple[str, ...], *, is_item: bool
) -> Iterator[tuple[tuple[str, ...], bool, type[Node]]]:
    yield steps, is_item, model
    for name, in_list, inner in message_fields(model):
        if field_spec(model, name).replaced_by is None:
            yield from _walk(inner, (*steps, name), is_item=in_list)


def _distance(path: tuple[str, ...], other_path: tuple[str, ...]) -> int:
    common = 0
    for step, other_step in zip(path, other_path, strict=False):
        if step != other_step:
            break
        common += 1
    return len(path) + len(other_path) - 2 * common


COMMON_FIELDS = frozenset({"apiVersion", "kind", "name", "id", "displayName", "display_name", "description", "type"})
"""Fields that say nothing: files of all programs have them."""
GENERIC_MESSAGES = frozenset({"syncConfig", "indexConfig", "vectorSearchConfig"})
"""Messages that other programs have by the same name, so that only their content counts."""
OTHER_RESOURCE_NAME = re.compile(
    r"projects/.*/(?!featureViews?/|channelConfigs?/|brands?/|featureOnlineStores?/|stores?/)[A-Za-z]+/[^/]+\Z"
)
MAX_KEYS = 100
"""Of a mapping or a list, the entries that are looked at."""


def count_fields(value: Mapping[str, Any], model: type[Node]) -> tuple[int, int]:
    """How many keys of a mapping the model of a kind has, and how many it does not have.

    The name of another resource is a key that it does not have.
    """
    name = value.get("name")
    keys = dict(_keys(value, model, model))
    is_of_another = isinstance(name, str) and OTHER_RESOURCE_NAME.match(name) is not None
    return sum(keys.values()), len(keys) - sum(keys.values()) + is_of_another


def _keys(value: Mapping[str, Any], model: type[Node], root: type[Node]) -> Iterator[tuple[tuple[str, str], bool]]:
    """The keys that count, each with its message, and whether it has them."""
    for key, inner in islice(value.items(), MAX_KEYS):
        name, place = spellings(model).get(key), (model.__name__, key)
        if key in COMMON_FIELDS or (name is not None and inner is None):
            continue
        if name is None:
            if suggest(key, model.model_fields) is None and not find_owners(key, root, (model.__name__,)):
                yield place, False
            continue
        type_ = field_type(model, name)
        if type_.model is None:
            yield place, not isinstance(inner, Mapping) or type_.values is not None
            continue
        items = inner if isinstance(inner, list) and type_.is_list else [inner][type_.is_list :]
        messages = [item for item in items[:MAX_KEYS] if isinstance(item, Mapping)]
        below = [found for message in messages for found in _keys(message, type_.model, root)]
        yield from below
        if inner and not messages:
            yield place, False
        elif name not in GENERIC_MESSAGES and (any(is_own for _, is_own in below) or not inner):
            yield place, True
