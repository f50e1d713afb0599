"""Description of a field: its type, limits, mode and union, from the specification; the field at a path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from trialrun.diagnostic import Path
from trialrun.lsp.describe import code, join_code, prose
from trialrun.model import proto_json, unknown_field
from trialrun.model.node import UNSPECIFIED, FieldSpec, Node, field_spec, unions
from trialrun.model.proto_json import FieldType, field_type
from trialrun.parser import Document
from trialrun.workspace.open_workspace import ResourceInFile


@dataclass(frozen=True)
class ModelField:
    """A field of a message."""

    model: type[Node]
    name: str

    @property
    def title(self) -> str:
        """The message and the field, such as `SyncConfig.cron`."""
        return f"{self.model.__name__}.{self.name}"

    @property
    def spec(self) -> FieldSpec:
        """The specification of the field, with the format of its text."""
        return field_spec(self.model, self.name)

    @property
    def type(self) -> proto_json.FieldType:
        """The type of the field."""
        return proto_json.field_type(self.model, self.name)


def model_field_at(part: ResourceInFile, path: Path) -> ModelField | None:
    """The innermost field on a path; None if the path leaves the model."""
    return model_field_on_path(type(part.model.node), path, root=len(part.root))


def model_field_on_path(message: type[Node], path: Path, *, root: int = 0) -> ModelField | None:
    """The innermost field on a path that enters a message at step `root`."""
    model: type[Node] | None = message
    here: ModelField | None = None
    for step in path[root:]:
        if isinstance(step, int) or (model is None and here):
            continue
        name = unknown_field.spellings(model).get(step) if model else None
        if model is None or name is None:
            return None
        here = ModelField(model, name)
        model = proto_json.field_type(model, name).model
    return here


def character_at(document: Document, path: Path, text: str, offset: int) -> int:
    """The index in a scalar's text of the character at an offset of the file, or of the last one before it."""
    low, high = 0, max(len(text) - 1, 0)
    while low < high:
        middle = (low + high + 1) // 2
        if document.scalar_span(path, middle, middle + 1).start <= offset:
            low = middle
        else:
            high = middle - 1
    return low


DESCRIPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "FeatureView.serviceAgentType": {
        "SERVICE_AGENT_TYPE_UNSPECIFIED": "The project-level service agent is used (default).",
        "SERVICE_AGENT_TYPE_PROJECT": "The project-level service agent is used during sync jobs.",
        "SERVICE_AGENT_TYPE_FEATURE_VIEW": (
            "A service account specific to the view is created and returned in serviceAccountEmail; it reads the "
            "source table during sync. Used to isolate a view within a project by IAM policy."
        ),
    },
    "IndexConfig.distanceMeasureType": {
        "DISTANCE_MEASURE_TYPE_UNSPECIFIED": "Should not be set.",
        "SQUARED_L2_DISTANCE": "Euclidean (L2) distance.",
        "COSINE_DISTANCE": (
            "1 minus cosine similarity. DOT_PRODUCT_DISTANCE with UNIT_L2_NORM is suggested instead; it ranks "
            "identically."
        ),
        "DOT_PRODUCT_DISTANCE": "Negative of the dot product.",
    },
    "OperationsConfig.interactionMode": {
        "ORDER_TAKING": "Two-way conversation to take orders.",
        "LISTEN_ONLY": "Agent listens and does not speak.",
    },
    "DisambiguationMapping.type": {
        "SINGLE_TARGET": "Shortcuts, custom combos, valid synonyms.",
        "INVALID_ITEM": "Invalid, out-of-stock or competitor items.",
        "DISAMBIGUATION": "Ambiguous input needing clarification among several valid targets.",
    },
    "ChannelConfig.state": {
        "DRAFT": (
            "The configuration has no associated config application rules and is not the default configuration of "
            "the brand. Not yet ready for use."
        ),
        "ACTIVE": (
            "The configuration is associated with at least one config application rule, or is set as the brand's "
            "default. Can be used; the runtime applies it to matching stores."
        ),
        "PROMOTED": "The configuration is promoted.",
    },
    "ExpectedValue.level": {
        "brand-default": "The first of the four levels; the others overwrite it.",
        "brand-binding": "The second of the four levels: overwrites brand defaults.",
        "store-default": "The third of the four levels: overwrites what the brand sets.",
        "store-binding": "The last of the four levels: overwrites all others.",
    },
}
"""By field, descriptions of those values that have one."""
NOTES: Final[Mapping[str, str]] = {
    "FeatureView.labels": (
        "System label keys, which begin with a prefix and a slash, are immutable and are not counted among the 64."
    )
}
"""By field, additions from the section Limits of the specification."""
_UNSET: Final = "Counts as unset."


def enum_description(field: str, value: str) -> str | None:
    """The meaning of an enum value; None if the specification does not describe it."""
    description = DESCRIPTIONS.get(field, {}).get(value)
    return description or (_UNSET if value.endswith(UNSPECIFIED) else None)


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
    facets = [type_description(of), *_bounds(of), known.mode]
    yield f"**{code(member.title)}**: {', '.join(facets)}"
    if known.replaced_by:
        yield f"Deprecated: use {code(known.replaced_by)}."
    yield from _description(member, known.name_format)
    yield from filter(None, (MODES.get(known.mode), NOTES.get(member.title)))
    if of.enum:
        yield _enum_values(member, of)
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


def _bounds(of: FieldType) -> Iterator[str]:
    if of.minimum is not None and of.maximum is not None:
        yield f"from {of.minimum} to {of.maximum}"
    elif of.minimum is not None:
        yield f"at least {of.minimum}"
    elif of.maximum is not None:
        yield f"at most {of.maximum}"
    longest = of.max_length or (of.values.max_length if of.values else None)
    if longest is not None:
        yield f"at most {longest} characters{' each' if of.is_list or of.values else ''}"


def _enum_values(member: ModelField, of: FieldType) -> str:
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
