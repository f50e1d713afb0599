"""Description of a field: its type, limits, mode and union, from the specification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.describe.enum_docs import DESCRIPTIONS, NOTES, enum_description
from trialrun.lsp.describe.markdown import code, join_code, prose
from trialrun.model.field_declaration import UNSPECIFIED
from trialrun.model.node import Node, field_spec
from trialrun.model.proto_json import FieldType, field_type
from trialrun.model.unions import unions

if TYPE_CHECKING:
    from trialrun.lsp.describe.model_field import ModelField

MODES = {"output only": "Set by the service; do not write it in a file."}
KIND = "kind"


def field_paragraphs(member: ModelField, value: object = None) -> Iterator[str]:
    """The description of a field in paragraphs of Markdown; for an enum `value`, starting with its meaning."""
    known = field_spec(member.model, member.name)
    of = field_type(member.model, member.name)
    if member.name == KIND:
        yield from message_paragraphs(member.model)
        return
    meaning = enum_description(member.title, value) if isinstance(value, str) and value in of.enum else None
    if meaning:
        yield f"{code(str(value))}: {prose(meaning)}"
    facets = [type_description(of), *_limits(of), known.mode]
    yield f"**{code(member.title)}**: {', '.join(facets)}"
    if known.replaced_by:
        yield f"Deprecated: use {code(known.replaced_by)}."
    yield from _description(member, known.name_format)
    yield from filter(None, (MODES.get(known.mode), NOTES.get(member.title)))
    if of.enum:
        yield _values(member, of)
    if of.model is not None:
        yield from _fields_of(of.model)
    yield from _alternatives(member)


def type_description(of: FieldType) -> str:
    """The type of a field: `a list of texts`, `true or false`, `AutomaticResources`."""
    if of.model is not None:
        name = code(of.model.__name__)
        return f"a list of {name}" if of.is_list else name
    if of.enum:
        return "a list of enum values" if of.is_list else "an enum"
    return f"a list of {of.plural}" if of.is_list else of.singular


def message_paragraphs(model: type[Node]) -> Iterator[str]:
    """A message: its description and its fields."""
    yield f"**{code(model.__name__)}**: {prose((model.__doc__ or '').partition(chr(10) * 2)[0])}"
    yield from _fields_of(model)


def _description(member: ModelField, format_: str | None) -> Iterator[str]:
    """The description from the specification; a resource name format is shown as code, broken for narrow windows."""
    words = member.model.model_fields[member.name].description or ""
    before, found, after = words.partition(format_) if format_ else (words, "", "")
    yield f"{prose(before)}{_in_pairs(found)}{prose(after)}" if found else prose(words)
    if format_ and not found:
        yield f"Format: {_in_pairs(format_)}"


def _in_pairs(format_: str) -> str:
    """A resource name format, broken after each id: `projects/{project}` / `locations/{location}`."""
    steps = format_.split("/")
    return " / ".join(code("/".join(steps[at : at + 2])) for at in range(0, len(steps), 2))


def _limits(of: FieldType) -> Iterator[str]:
    if of.minimum is not None and of.maximum is not None:
        yield f"from {of.minimum} to {of.maximum}"
    elif of.minimum is not None:
        yield f"at least {of.minimum}"
    elif of.maximum is not None:
        yield f"at most {of.maximum}"
    longest = of.max_length or (of.values.max_length if of.values else None)
    if longest is not None:
        yield f"at most {longest} characters{' each' if of.is_list or of.values else ''}"


def _values(member: ModelField, of: FieldType) -> str:
    """The values of an enum, with their descriptions if they have any."""
    values = [value for value in of.enum if not value.endswith(UNSPECIFIED)]
    if member.title not in DESCRIPTIONS:
        return f"Values: {join_code(values)}"
    lines = [f"- {code(value)}: {prose(enum_description(member.title, value) or '')}" for value in values]
    return "\n".join(["Values:", "", *lines])


def _fields_of(model: type[Node]) -> Iterator[str]:
    """The fields of a message, required ones first, without output-only ones."""
    names = [name for name in model.model_fields if name != KIND]
    modes = {name: field_spec(model, name) for name in names}
    required = [name for name in names if modes[name].mode == "required"]
    optional = [name for name in names if modes[name].mode in ("optional", "identifier")]
    members = {member for union in model.unions.values() for member in union}
    current = [name for name in optional if not modes[name].replaced_by and name not in members]
    if required:
        yield f"Required: {join_code(required)}"
    for name, union in model.unions.items():
        yield f"{'One' if name in model.required_unions else 'At most one'} of: {join_code(list(union))}"
    if current:
        yield f"Optional: {join_code(current)}"


def _alternatives(member: ModelField) -> Iterator[str]:
    """The other members of the union of a field."""
    for name, members in unions(member.model).items():
        if member.name in members:
            others = join_code([other for other in members if other != member.name])
            verb = "must" if name in member.model.required_unions else "may"
            amount = "Exactly one" if verb == "must" else "At most one"
            yield f"{amount} of this field and {others} {verb} be set."
