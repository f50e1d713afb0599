"""Resources inside of wrappers: bodies of requests, answers of list calls, and the shape that other systems have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.diagnostic import Path
from trialrun.lazy_dataclass import dataclass
from trialrun.model.kinds import RESOURCES, kind_of

OF_ONE = {
    **dict.fromkeys(("featureView", "feature_view", "FeatureView"), "FeatureView"),
    **dict.fromkeys(("channelConfig", "channel_config", "ChannelConfig"), "ChannelConfig"),
}
OF_SEVERAL = {
    **dict.fromkeys(("featureViews", "feature_views", "FeatureViews"), "FeatureView"),
    **dict.fromkeys(("channelConfigs", "channel_configs", "ChannelConfigs"), "ChannelConfig"),
}
OF_ANY = frozenset({"resource", "spec"})
OF_ANY_SEVERAL = frozenset({"resources", "items"})
KIND_OF_WRAPPER = {**OF_ONE, **OF_SEVERAL}
KEYS = frozenset({*OF_ONE, *OF_SEVERAL, *OF_ANY, *OF_ANY_SEVERAL})
"""The keys of wrappers; one that says the kind is enough, below the others the kind or the fields have to tell it."""

ENVELOPE = frozenset({"kind", "apiVersion", "metadata", "status"})
COMMON = frozenset({"kind", "name", "displayName", "description", "type", "labels", "etag", "state"})
"""Fields that the files of other systems have as well."""
DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A key with resources below it, where a file has the resource itself.

    `removed` and `lifted` are the entries to take away and to put their contents in place of, so that the file is as it
    should be; both are empty where that cannot be said. `written` is the kind beside the key, `kind` what it means.
    """

    path: Path
    written: str | None
    kind: str | None
    holds_several: bool
    removed: tuple[Path, ...] = ()
    lifted: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that may be a resource, with the way to it; `kind` is None for what is not ours."""

    path: Path
    value: Any
    kind: str | None


def candidates(value: Any, *, by_path: str | None = None) -> Iterator[Candidate | Wrapper]:
    """The values of a document that may be resources, in their order, and the wrappers in which some stand.

    A list holds several; `by_path` is the kind that the settings give to the path of the file.
    """
    listed = isinstance(value, list)
    for index, item in enumerate(value if listed else [value]):
        yield from _within(item, (index,) if listed else (), kind_of(item, by_path=by_path), DEEPEST)


def resources(value: Any, *, by_path: str | None = None) -> Iterator[tuple[str, Path, Any]]:
    """The resources of a document, also those in wrappers: the kind of each, the way to it, and its value."""
    for candidate in candidates(value, by_path=by_path):
        if isinstance(candidate, Candidate) and candidate.kind is not None:
            yield candidate.kind, candidate.path, candidate.value


def _within(value: Any, path: Path, kind: str | None, depth: int) -> Iterator[Candidate | Wrapper]:
    found: list[Candidate | Wrapper] = []
    if depth and isinstance(value, Mapping) and not KEYS.isdisjoint(value) and _is_no_resource(value, kind):
        for key in value:
            if key in KEYS:
                found += _below(value, key, path, kind, depth)
    yield from found or [Candidate(path, value, kind)]


def _is_no_resource(value: Mapping[str, Any], kind: str | None) -> bool:
    """Whether a mapping has nothing of a resource beside wrappers; some kinds have a field that is called like one."""
    if kind is None:
        return True
    wrappers = {*OF_ONE, *OF_ANY} | (set(OF_SEVERAL) if kind in RESOURCES else set())
    return not wrappers.isdisjoint(value) and value.keys() <= {*wrappers, *ENVELOPE, "name"}


def _below(
    value: Mapping[str, Any], key: str, path: Path, kind: str | None, depth: int
) -> Iterator[Candidate | Wrapper]:
    """A wrapper and what stands in it; nothing where that is not ours."""
    held: list[Candidate | Wrapper] = []
    for steps, inner in _held(key, value[key]):
        inner_kind = _kind_inside(key, inner, kind)
        held += [one for one in _within(inner, (*path, key, *steps), inner_kind, depth - 1) if _is_ours(one)]
    if held:
        yield _wrapper(value, key, path, kind, held)
        yield from held


def _is_ours(one: Candidate | Wrapper) -> bool:
    return isinstance(one, Wrapper) or one.kind is not None


def _held(key: str, value: Any) -> Iterator[tuple[Path, Any]]:
    """The values that a wrapper holds: one, or those of a list, or of a mapping by name."""
    if key in OF_ONE or key in OF_ANY:
        yield (), value
    elif isinstance(value, list):
        yield from (((index,), item) for index, item in enumerate(value))
    elif isinstance(value, Mapping):
        yield from (((name,), item) for name, item in value.items())


def _kind_inside(key: str, value: Any, outer: str | None) -> str | None:
    """The kind of what stands in a wrapper: what it says, what the wrapper says, or what is said beside that."""
    if not isinstance(value, Mapping):
        return None
    told = OF_ONE.get(key) or OF_SEVERAL.get(key)
    if (kind := kind_of(value)) is not None:
        return kind
    if told is not None:
        return told if _has_fields_of(told, value) else None
    return outer


def _has_fields_of(kind: str, value: Mapping[str, Any]) -> bool:
    """Whether a mapping has a field that only this kind has, or else nothing but fields of it."""
    from trialrun.model.kinds import model_of
    from trialrun.model.unknown_field import names

    fields = names(model_of(kind))
    known = [key for key in value if key in fields]
    return any(key not in COMMON for key in known) or (bool(known) and len(known) == len(value))


def _wrapper(
    value: Mapping[str, Any], key: str, path: Path, kind: str | None, held: list[Candidate | Wrapper]
) -> Wrapper:
    written = value.get("kind")
    several = key in OF_SEVERAL or key in OF_ANY_SEVERAL
    removed, lifted = _ways(value, key, held[0]) if len(path) < 2 else ((), ())
    return Wrapper(
        (*path, key),
        written if isinstance(written, str) else None,
        kind,
        several,
        tuple((*path, step) for step in removed),
        tuple((*path, step) for step in lifted),
    )


def _ways(value: Mapping[str, Any], key: str, first: Candidate | Wrapper) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys to take away and to lift, where what is left is the resource and nothing is lost with it."""
    inner, beside = value[key], value.keys() - {key}
    if isinstance(inner, list):
        return ((), ()) if beside else ((), (key,))
    if not isinstance(inner, Mapping) or beside - {"kind", "apiVersion", "metadata"}:
        return (), ()
    metadata = value.get("metadata", {})
    if not isinstance(metadata, Mapping) or ("metadata" in value and not metadata):
        return (), ()
    parts = [*(step for step in beside if step == "kind"), *metadata, *inner]
    whole = {**({"kind": value["kind"]} if "kind" in value else {}), **metadata, **inner}
    if len(parts) != len(whole) or (isinstance(first, Candidate) and kind_of(whole) != first.kind):
        return (), ()
    return tuple({"apiVersion"} & beside), (*(step for step in value if step == "metadata"), key)
