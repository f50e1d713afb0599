"""A field in the words of the specification's table: its type, its limits, and what goes with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.about.markdown import code, listed, plain
from trialrun.model.fields import Shape, shape
from trialrun.model.node import UNSPECIFIED, facts
from trialrun.model.unions import unions

if TYPE_CHECKING:
    from trialrun.lsp.about.member import Member


def field_paragraphs(member: Member) -> Iterator[str]:
    """What the specification says of a field, in paragraphs of Markdown."""
    known = facts(member.model, member.name)
    of = shape(member.model, member.name)
    facets = [type_words(of), *_limits(of), known.mode]
    yield f"**{code(member.title)}**: {', '.join(facets)}"
    if known.replaced_by:
        yield f"Deprecated; {code(known.replaced_by)} replaces it."
    yield plain(member.model.model_fields[member.name].description or "")
    if known.format:
        yield f"Format: {code(known.format)}"
    if of.enum:
        yield f"Values: {listed([value for value in of.enum if not value.endswith(UNSPECIFIED)])}"
    if of.model is not None and not of.listed:
        yield from _fields_of(of)
    yield from _alternatives(member)


def type_words(of: Shape) -> str:
    """The type of a field: `a list of texts`, `true or false`, `AutomaticResources`."""
    if of.model is not None:
        name = code(of.model.__name__)
        return f"a list of {name}" if of.listed else name
    if of.enum:
        return "a list of enum values" if of.listed else "an enum"
    return f"a list of {of.plural}" if of.listed else of.words


def _limits(of: Shape) -> Iterator[str]:
    if of.at_least is not None and of.at_most is not None:
        yield f"from {of.at_least} to {of.at_most}"
    elif of.at_least is not None:
        yield f"at least {of.at_least}"
    elif of.at_most is not None:
        yield f"at most {of.at_most}"
    longest = of.longest or (of.values.longest if of.values else None)
    if longest is not None:
        yield f"at most {longest} characters{' each' if of.listed or of.values else ''}"


def _fields_of(of: Shape) -> Iterator[str]:
    """The fields of the message that the field takes."""
    names = [name for name in of.model.model_fields if name != "kind"] if of.model else []
    if names:
        yield f"Fields: {listed(names)}"


def _alternatives(member: Member) -> Iterator[str]:
    """The other fields of a union that the field belongs to."""
    for members in unions(member.model).values():
        others = [name for name in members if name != member.name]
        if member.name in members:
            yield f"At most one of this and {listed(others)} may be set."
