"""Tags: those of the core schema are followed; any other is a mistake where plain text is expected."""

from __future__ import annotations

from typing import Any, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.events import Event
from trialrun.parser.scalars import parse_plain_scalar

_CORE: Final = "tag:yaml.org,2002:"
_TYPES: Final[dict[str, type]] = {
    _CORE + "int": int,
    _CORE + "float": float,
    _CORE + "bool": bool,
    _CORE + "null": type(None),
}


@dataclass(frozen=True, slots=True)
class TaggedScalar:
    """The value of a tagged scalar and its text; `is_misplaced` is set where the tag does not belong.

    `includes_tag` says that `text` is the source from the tag on, because the tag may be the beginning of the text.
    Only then quotes keep every character: the tag may be one of another program, and no fix throws it away.
    """

    value: Any
    text: str
    includes_tag: bool = False
    is_misplaced: bool = False


def tagged_scalar(event: Event, text: str) -> TaggedScalar:
    """How a scalar with a tag is read; `text` is the source that the marks of the event count in."""
    value: str = event.value
    tag: str | None = event.tag
    if tag is None:
        return TaggedScalar(parse_plain_scalar(value).value if event.implicit[0] else value, value)
    if tag in ("!", _CORE + "str"):
        return TaggedScalar(value, value)
    if tag in _TYPES:
        return _typed_scalar(value, _TYPES[tag])
    if event.style or tag.startswith(_CORE) or event.anchor is not None:
        return TaggedScalar(value, value, is_misplaced=True)
    source = text[event.start_mark.index : event.end_mark.index]
    if "\n" in source or "\r" in source:
        return TaggedScalar(value, value, is_misplaced=True)
    return TaggedScalar(source, source, includes_tag=True, is_misplaced=True)


def _typed_scalar(text: str, wanted: type) -> TaggedScalar:
    value = parse_plain_scalar(text).value
    if wanted is float and type(value) is int:
        return TaggedScalar(float(value), text)
    if type(value) is wanted:
        return TaggedScalar(value, text)
    return TaggedScalar(text, text, is_misplaced=True)


def is_default_collection_tag(event: Event) -> bool:
    """Whether the tag of a collection is the default one."""
    return event.tag in ("!", _CORE + "map", _CORE + "seq")
