"""Resources inside of wrappers: request bodies, responses of list calls, and the `spec` of other systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from trialrun.diagnostic import Path
from trialrun.model.kinds import RESOURCES, declared_kind, kind_of, model_of

SINGLE_KEYS = {
    **dict.fromkeys(("featureView", "feature_view", "FeatureView"), "FeatureView"),
    **dict.fromkeys(("channelConfig", "channel_config", "ChannelConfig"), "ChannelConfig"),
}
LIST_KEYS = {
    **dict.fromkeys(("featureViews", "feature_views", "FeatureViews"), "FeatureView"),
    **dict.fromkeys(("channelConfigs", "channel_configs", "ChannelConfigs"), "ChannelConfig"),
}
GENERIC_KEYS = frozenset({"resource", "spec"})
GENERIC_LIST_KEYS = frozenset({"resources", "items"})
KIND_OF_WRAPPER = {**SINGLE_KEYS, **LIST_KEYS}
WRAPPER_KEYS = frozenset({*SINGLE_KEYS, *LIST_KEYS, *GENERIC_KEYS, *GENERIC_LIST_KEYS})
"""The keys of wrappers; one that says the kind is enough, below the others the kind or the fields have to tell it."""

ENVELOPE_KEYS = frozenset({"kind", "apiVersion", "metadata", "status"})
MAX_DEPTH = 3


class Wrapper(NamedTuple):
    """A key with resources below it, where a file should have the resource itself.

    `paths_to_remove` and `paths_to_lift` are the entries to remove and to replace by their content in order to unwrap
    the resource; both are empty if that is not possible. `kind_text` is the kind next to the key, `kind` the intended
    one.
    """

    path: Path
    kind_text: str | None
    kind: str | None
    holds_several: bool
    paths_to_remove: tuple[Path, ...] = ()
    paths_to_lift: tuple[Path, ...] = ()


class Candidate(NamedTuple):
    """A value that may be a resource, with its path; `kind` is None if it is not one of ours."""

    path: Path
    value: Any
    kind: str | None


def candidates(value: Any, *, by_path: str | None = None) -> Iterator[Candidate | Wrapper]:
    """The values of a document that may be resources, in order, and the wrappers around some of them.

    A list contains several; `by_path` is the kind that the settings give to the path of the file.
    """
    is_list = isinstance(value, list)
    for index, item in enumerate(value if is_list else [value]):
        yield from _search(item, (index,) if is_list else (), kind_of(item, by_path=by_path), MAX_DEPTH)


def resources(value: Any, *, by_path: str | None = None) -> Iterator[tuple[str, Path, Any]]:
    """The resources of a document, also in wrappers: the kind, path and value of each."""
    for candidate in candidates(value, by_path=by_path):
        if isinstance(candidate, Candidate) and candidate.kind is not None:
            yield candidate.kind, candidate.path, candidate.value


def _search(value: Any, path: Path, kind: str | None, depth: int) -> Iterator[Candidate | Wrapper]:
    candidates: list[Candidate | Wrapper] = []
    if depth and isinstance(value, Mapping) and not WRAPPER_KEYS.isdisjoint(value) and _is_only_wrapper(value, kind):
        outer = kind or declared_kind(value)
        for key in value:
            if key in WRAPPER_KEYS:
                candidates += _unwrap(value, key, path, outer, depth)
    yield from candidates or [Candidate(path, value, kind)]


def _is_only_wrapper(value: Mapping[str, Any], kind: str | None) -> bool:
    """Whether a mapping has no field of a resource apart from wrappers; some kinds have a field with the name of a
    wrapper.
    """
    if kind is None:
        return True
    wrappers = {*SINGLE_KEYS, *GENERIC_KEYS} | (set(LIST_KEYS) if kind in RESOURCES else set())
    return not wrappers.isdisjoint(value) and value.keys() <= {*wrappers, *ENVELOPE_KEYS, "name"}


def _unwrap(
    value: Mapping[str, Any], key: str, path: Path, kind: str | None, depth: int
) -> Iterator[Candidate | Wrapper]:
    """A wrapper and the candidates inside it; empty if these are not ours."""
    contents: list[Candidate | Wrapper] = []
    for steps, inner in _wrapped_values(key, value[key]):
        inner_kind = _inner_kind(key, inner, kind)
        contents += [
            candidate
            for candidate in _search(inner, (*path, key, *steps), inner_kind, depth - 1)
            if isinstance(candidate, Wrapper) or candidate.kind is not None
        ]
    if contents:
        yield _build_wrapper(value, key, path, kind, contents)
        yield from contents


def _wrapped_values(key: str, value: Any) -> Iterator[tuple[Path, Any]]:
    """The values in a wrapper: one, or those of a list or of a mapping by name."""
    if key in SINGLE_KEYS or key in GENERIC_KEYS:
        yield (), value
    elif isinstance(value, list):
        yield from (((index,), item) for index, item in enumerate(value))
    elif isinstance(value, Mapping):
        yield from (((name,), item) for name, item in value.items())


def _inner_kind(key: str, value: Any, outer: str | None) -> str | None:
    """The kind of a value in a wrapper: its own, that of the wrapper, or the kind next to the wrapper."""
    if not isinstance(value, Mapping):
        return None
    wrapper_kind = SINGLE_KEYS.get(key) or LIST_KEYS.get(key) or outer
    if (kind := kind_of(value)) is not None or wrapper_kind is None:
        return kind
    from trialrun.model.unknown_field import count_fields

    own, strange = count_fields(value, model_of(wrapper_kind))
    is_companion = wrapper_kind == outer and wrapper_kind not in RESOURCES
    return wrapper_kind if own > strange or (is_companion and not strange) else None


def _build_wrapper(
    value: Mapping[str, Any], key: str, path: Path, kind: str | None, contents: list[Candidate | Wrapper]
) -> Wrapper:
    kind_text = value.get("kind")
    holds_several = key in LIST_KEYS or key in GENERIC_LIST_KEYS
    keys_to_remove, keys_to_lift = _keys_to_edit(value, key, contents[0]) if len(path) < 2 else ((), ())
    return Wrapper(
        (*path, key),
        kind_text if isinstance(kind_text, str) else None,
        kind,
        holds_several,
        tuple((*path, step) for step in keys_to_remove),
        tuple((*path, step) for step in keys_to_lift),
    )


def _keys_to_edit(
    value: Mapping[str, Any], key: str, first: Candidate | Wrapper
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys to remove and to lift, if that leaves the resource without losing content."""
    inner, siblings = value[key], value.keys() - {key}
    if isinstance(inner, list):
        return ((), ()) if siblings else ((), (key,))
    if not isinstance(inner, Mapping) or siblings - {"kind", "apiVersion", "metadata"}:
        return (), ()
    metadata = value.get("metadata", {})
    if not isinstance(metadata, Mapping) or ("metadata" in value and not metadata):
        return (), ()
    parts = [*(step for step in siblings if step == "kind"), *metadata, *inner]
    resource = {**({"kind": value["kind"]} if "kind" in value else {}), **metadata, **inner}
    if len(parts) != len(resource) or (isinstance(first, Candidate) and kind_of(resource) != first.kind):
        return (), ()
    return tuple({"apiVersion"} & siblings), (*(step for step in value if step == "metadata"), key)
