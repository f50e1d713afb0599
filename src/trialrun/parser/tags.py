"""Tags: those of the core schema are followed; any other is a slip where a plain value belongs."""

from __future__ import annotations

from typing import Any, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.events import Event
from trialrun.parser.scalars import quote, read_plain

_CORE: Final = "tag:yaml.org,2002:"
_TYPES: Final[dict[str, type]] = {
    _CORE + "int": int,
    _CORE + "float": float,
    _CORE + "bool": bool,
    _CORE + "null": type(None),
}


@dataclass(frozen=True, slots=True)
class TaggedScalar:
    """The value of a tagged scalar and its text; `replacement` is set where the tag does not belong.

    `whole` says that `text` is the source from the tag on, because the tag was meant as the beginning of the text.
    """

    value: Any
    text: str
    whole: bool = False
    replacement: str | None = None


def tagged_scalar(event: Event, text: str) -> TaggedScalar:
    """How a scalar with a tag is read; `text` is the source that the marks of the event count in."""
    written: str = event.value
    tag: str | None = event.tag
    if tag is None:
        return TaggedScalar(read_plain(written).value if event.implicit[0] else written, written)
    if tag in ("!", _CORE + "str"):
        return TaggedScalar(written, written)
    if tag in _TYPES:
        return _typed(written, _TYPES[tag])
    if event.style or tag.startswith(_CORE) or event.anchor is not None:
        return TaggedScalar(written, written, replacement=quote(written))
    source = text[event.start_mark.index : event.end_mark.index]
    if "\n" in source or "\r" in source:
        return TaggedScalar(written, written, replacement=quote(written))
    return TaggedScalar(source, source, whole=True, replacement=quote(source))


def _typed(written: str, wanted: type) -> TaggedScalar:
    value = read_plain(written).value
    if wanted is float and type(value) is int:
        return TaggedScalar(float(value), written)
    if type(value) is wanted:
        return TaggedScalar(value, written)
    return TaggedScalar(written, written, replacement=quote(written))


def tags_collection_plainly(event: Event) -> bool:
    """Whether the tag of a collection says what the collection is anyway."""
    return event.tag in ("!", _CORE + "map", _CORE + "seq")
