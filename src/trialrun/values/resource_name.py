"""Resource names, checked by the format that the specification gives for a kind of resource (section 2 of both)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

from trialrun.values import Problem, shorten


@lru_cache(maxsize=64)
def _regex(pattern: str) -> re.Pattern[str]:
    """A pattern such as `projects/{project}/locations/{location}` as a regular expression."""
    segments = pattern.split("/")
    fields = (f"(?P<{segment[1:-1]}>[^/]+)" if _is_id(segment) else re.escape(segment) for segment in segments)
    return re.compile("/".join(fields))


def _is_id(segment: str) -> bool:
    return segment.startswith("{")


def has_stand_in(name: str) -> bool:
    """Whether a part of a resource name is known to Terraform alone, and stands as its source text with its folder."""
    return "@" in name and "${" in name


def shown_name(name: str) -> str:
    """A resource name as it is shown: a stand-in without what makes it equal in its folder alone."""
    return re.sub(r"(\$\{[^{}@]*)@[^{}]*\}", r"\1}", name)


def matches_pattern(text: str, *, pattern: str) -> bool:
    """Whether a text is a name of this format; an id is any text without a slash, of one character or more."""
    return _regex(pattern).fullmatch(text) is not None


def parse(text: str, *, pattern: str) -> dict[str, str] | None:
    """The ids of a name by what the format calls them; None if the text does not fit."""
    match = _regex(pattern).fullmatch(text)
    return match.groupdict() if match else None


def is_same_resource(name: str, other_name: str) -> bool:
    """Whether two texts name one resource: they are equal, or one is the end of the other, as an id is of a name."""
    return name == other_name or name.endswith(f"/{other_name}") or other_name.endswith(f"/{name}")


def last_id(name: str) -> str:
    """The id at the end of a name: all of it where it has no slash."""
    return name.rpartition("/")[2]


def is_of_other_brand(config: str, brand: str) -> bool:
    """Whether the name of a config says that it is under another brand than this."""
    own = config.rpartition("/channelConfigs/")[0]
    return bool(own and brand) and not is_same_resource(own, brand)


def check(text: str, *, pattern: str) -> tuple[Problem, ...]:
    """What keeps a text from being a name of this format, code "invalid": the segments that are wrong."""
    if matches_pattern(text, pattern=pattern):
        return ()
    if around := _surrounding_text(text, pattern):
        return (around,)
    if matches_pattern(re.sub("//+", "/", text), pattern=pattern):
        doubled = re.finditer("(?<=/)/+", text)
        return tuple(_problem(*match.span(), "empty segment; write one slash", "") for match in doubled)
    return tuple(_wrong_segments(text, pattern))


def _surrounding_text(text: str, pattern: str) -> Problem | None:
    """A name that would fit without what is before or after it."""
    if not text:
        return _problem(0, 0, f"empty name; write {pattern}")
    first = pattern.partition("/")[0]
    before = 0 if text.startswith(f"{first}/") else text.find(f"/{first}/") + 1
    bare = text[before:].rstrip("/")
    if not matches_pattern(bare, pattern=pattern):
        return None
    if before:
        what = "leading slash" if not text[:before].strip("/") else f"{_quote(text[:before])} before the name"
        return _problem(0, before, f"{what}; begin with {first}/", "")
    return _problem(len(bare), len(text), "slash after the name; remove it", "")


def _wrong_segments(text: str, pattern: str) -> Iterator[Problem]:
    wanted_segments = pattern.split("/")
    starts = [0, *(match.end() for match in re.finditer("/", text))]
    segments = list(zip(starts, text.split("/"), strict=True))
    if len(segments) == len(wanted_segments):
        for (start, segment), wanted in zip(segments, wanted_segments, strict=True):
            yield from _wrong_segment(start, segment, wanted)
        return
    if len(segments) == 1:
        yield _problem(0, len(text), f"{_quote(text)} is not a full resource name; write {pattern}")
        return
    for (start, segment), wanted in zip(segments, wanted_segments, strict=False):
        for problem in _wrong_segment(start, segment, wanted):
            if problem.replacement is None and segment in wanted_segments:
                message = f'"{segment}" is too early in the name; add "{wanted}" before it, as in {pattern}'
                yield _problem(start, start + len(segment), message)
            else:
                yield problem
            if problem.replacement is None and not _is_id(wanted):
                return
    if len(segments) < len(wanted_segments):
        missing = "/".join(wanted_segments[len(segments) :])
        yield _problem(len(text), len(text), f"the name is incomplete; add /{missing}")
    else:
        extra = starts[len(wanted_segments)] - 1
        message = f"{_quote(text[extra:])} after the name; it ends with {wanted_segments[-1]}"
        yield _problem(extra, len(text), message)


def _wrong_segment(start: int, segment: str, wanted: str) -> Iterator[Problem]:
    end = start + len(segment)
    if _is_id(wanted):
        if not segment:
            yield _problem(start, end, f"empty id; write the {wanted} between the slashes")
        return
    message = f'expected "{wanted}", not {_quote(segment)}'
    if segment != wanted and _is_similar(segment, wanted):
        yield _problem(start, end, f'{message}; write "{wanted}"', wanted)
    elif segment != wanted:
        yield _problem(start, end, message)


def _is_similar(text: str, wanted: str) -> bool:
    """Whether a segment is plainly the wanted one, except for case, number, separators, or a slip or two."""
    from trialrun.values.suggest import closest_name  # only a wrong name needs it

    squashed = re.sub("[^a-z]", "", text.lower())
    if not squashed or abs(len(squashed) - len(wanted)) > 2:
        return False
    return closest_name(squashed, (wanted,)) is not None


def _quote(text: str) -> str:
    return f'"{repr(shorten(text, 40))[1:-1]}"'


def _problem(start: int, end: int, message: str, replacement: str | None = None) -> Problem:
    return Problem("invalid", start, end, message, replacement)


Resource = TypeVar("Resource")


class ResourceIndex(Generic[Resource]):
    """Resources of one kind by their names, with whatever the caller knows them by.

    A name means the resources of exactly this name, else those that share its end, as an id does.
    """

    def __init__(self, named: Iterable[tuple[str, Resource]]) -> None:
        self._by_name: dict[str, list[Resource]] = {}
        self._by_id: dict[str, list[tuple[str, Resource]]] = {}
        self._resolved: dict[tuple[str, str | None], Sequence[Resource]] = {}
        for name, resource in named:
            self._by_name.setdefault(name, []).append(resource)
            self._by_id.setdefault(last_id(name), []).append((name, resource))

    def names(self, id_: str) -> Sequence[str]:
        """The names that end with an id."""
        return list(dict.fromkeys(name for name, _ in self._by_id.get(id_, ())))

    def ids(self) -> Iterable[str]:
        """The ids at the ends of the names."""
        return self._by_id

    def same(self, written: str) -> list[tuple[str, Resource]]:
        """All resources that a name may mean, each with its own name."""
        return [named for named in self._by_id.get(last_id(written), ()) if is_same_resource(named[0], written)]

    def resolve(self, written: str, brand: str | None = None) -> Sequence[Resource]:
        """The resources that a name means; of several configs those of the brand, if any."""
        if (written, brand) not in self._resolved:
            self._resolved[written, brand] = self._resolve(written, brand)
        return self._resolved[written, brand]

    def _resolve(self, written: str, brand: str | None) -> Sequence[Resource]:
        exact = self._by_name.get(written)
        found = [(written, resource) for resource in exact] if exact else self.same(written)
        if len(found) > 1 and brand:
            found = [one for one in found if is_same_resource(one[0].rpartition("/channelConfigs/")[0], brand)] or found
        return [resource for _, resource in found]
