"""What both resources and the companion documents are made of: fields that know their rules.

A model is strict: it takes the canonical form (camelCase, enum names, int64 as text) and nothing else, in one pass.
What it refuses is read once more by `trialrun.model.validate`, which says what is wrong field by field. Attribute names
are the field names of the specifications, letter for letter.

In every model `None` means "no usable value". Whether the file has the field at all is `node.has(field)`: a field whose
value was refused counts as present, so that one mistake does not cause a second finding about a missing field.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, Self, TypedDict, Union, Unpack, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from trialrun.diagnostic import At, Chars, Finding, Fix, Path, Related, Severity, SymbolicLocation
from trialrun.terraform import Unknown

Mode = Literal["optional", "required", "output only", "identifier"]
UNSPECIFIED = "_UNSPECIFIED"
UNSET_IF_EMPTY = frozenset({"upsold items", "sync option"})
"""The unions of which an empty list or text is no member: readers of ProtoJSON take it for unset."""
INT64_TEXT = r"^-?(0|[1-9][0-9]{0,18})$"
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

TextFormat = Literal[
    "free-text", "identifier", "resource-name", "language-tag", "time-zone", "cron", "timestamp", "cel-condition",
    "cel-expression", "cel-type", "column-type", "label", "email", "opaque", "unspecified", "file-glob", "file-path",
    "database-table", "item-name-part", "data-finding", "data-table", "data-value", "text-part", "field-path",
    "config-file", "config-or-file", "skip-reason", "order-line", "session-script", "session-table", "state-path",
    "time-of-day", "date",
]  # fmt: skip
"""What a text holds that names nothing of the workspace: `free-text` is for people and for the conversational model,
`identifier` is a name of one's own that nothing refers to, `text-part` is looked for in a text of the program,
`opaque` is made by the service, and of `unspecified` the specification says nothing.
"""
SymbolKind = Literal[
    "config", "brand", "store", "tag", "binding", "item", "modifier", "modifier group", "upsell", "customer term",
    "tool", "session type", "session variable", "session field", "online store", "view", "feature group", "feature",
    "source", "column", "served feature", "filter column", "daypart",
]  # fmt: skip
"""What a name stands for. A `served feature` is a feature, or a column, that the view of a scenario step serves."""
NameForm = Literal["name", "semantic name", "id"]
NAME: tuple[NameForm, ...] = ("name",)
SEMANTIC_NAME: tuple[NameForm, ...] = ("semantic name",)
MENU_NAME: tuple[NameForm, ...] = ("name", "semantic name")
"""A name of the menu, else a semantic name."""
SEMANTIC_MENU_NAME: tuple[NameForm, ...] = ("semantic name", "name")
"""A semantic name, else a name of the menu."""
ID: tuple[NameForm, ...] = ("id",)
NAME_OR_ID: tuple[NameForm, ...] = ("name", "id")


@dataclass(frozen=True)
class FieldSpec:
    """What the specification says of a field beyond its type; the JSON Schema has it, too.

    Of a text, of the texts of a list and of the values of a mapping: `format` is what they hold, `names` what they
    refer to, `declares` what they declare, each by the name or the id in `by`. `keys` says it of the keys of a mapping,
    the outer ones first.
    """

    mode: Mode = "optional"
    replaced_by: str | None = None
    name_format: str | None = None
    format: TextFormat | None = None
    names: SymbolKind | None = None
    declares: SymbolKind | None = None
    by: tuple[NameForm, ...] = NAME
    keys: tuple[SymbolKind | TextFormat, ...] = ()

    def __call__(self, schema: dict[str, Any]) -> None:
        """Add these facts to the JSON Schema of the field."""
        if self.mode == "output only":
            schema["readOnly"] = True
        if self.replaced_by:
            schema["deprecated"] = True
        schema.pop("default", None)


def field(
    description: str,
    *,
    mode: Mode = "optional",
    minimum: float | None = None,
    maximum: float | None = None,
    max_length: int | None = None,
    replaced_by: str | None = None,
    name_format: str | None = None,
    format: TextFormat | None = None,
    names: SymbolKind | None = None,
    declares: SymbolKind | None = None,
    by: tuple[NameForm, ...] = NAME,
    keys: tuple[SymbolKind | TextFormat, ...] = (),
) -> Any:
    """A field of a model, in the words of the specification's table.

    `minimum` and `maximum` bound a number, both inclusive; `max_length` bounds a text in Unicode code points;
    `replaced_by` marks a deprecated field; `name_format` is the format of a resource name; `format`, `names`,
    `declares`, `by` and `keys` say what a text holds, as `FieldSpec` has it.
    """
    text_format: TextFormat | None = "resource-name" if name_format else format
    spec = FieldSpec(mode, replaced_by, name_format, text_format, names, declares, by, keys)
    return Field(
        default=None, description=description, ge=minimum, le=maximum, max_length=max_length, json_schema_extra=spec
    )


class Int64Text:
    """Marks an integer that JSON writes as text, as ProtoJSON does for int64."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Take the canonical text and keep the integer."""
        return core_schema.no_info_after_validator_function(
            _int64,
            core_schema.str_schema(pattern=INT64_TEXT, strict=True),
            serialization=core_schema.to_string_ser_schema(when_used="json"),
        )


def _int64(text: str) -> int:
    number = int(text)
    if not 1 <= number <= INT64_MAX:
        raise ValueError("outside the range of the field")
    return number


PositiveInt64 = Annotated[int, Int64Text()]
"""An int64 of at least 1, which JSON writes as text."""


Integer = Annotated[int, Field(ge=INT64_MIN, le=INT64_MAX)]
"""A whole number of 64 bits, which JSON writes as a number."""


class EntityId:
    """Marks an entity id: a text or a whole number, or a list of these where the id has several columns.

    `required` refuses an empty text in place of an id, as any required text does.
    """

    def __init__(self, *, required: bool = False) -> None:
        self.required = required

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Take one part or a list of parts."""
        number, text = core_schema.int_schema(strict=True), core_schema.str_schema(strict=True)
        alone = core_schema.str_schema(strict=True, min_length=1) if self.required else text
        several = core_schema.list_schema(core_schema.union_schema([text, number]), strict=True, min_length=1)
        return core_schema.union_schema([alone, number, several])


EntityIdValue = Annotated[Any, EntityId()]
"""An entity id as documents write it."""
RequiredEntityId = Annotated[Any, EntityId(required=True)]
"""An entity id that has to be there."""


def without_none(annotation: Any) -> Any:
    """The type of a field without `None`."""
    if get_origin(annotation) in (Union, UnionType):
        return next(part for part in get_args(annotation) if part is not type(None))
    return annotation


Warnings = bool | Literal["none", "warn", "error"]


class FindingOptions(TypedDict, total=False):
    """What a finding may say beyond its place and its message."""

    at: At
    chars: Chars | None
    severity: Severity | None
    help: str | None
    related: tuple[Related, ...]
    fix: Fix | None


class TruncatedList(list[Any]):
    """A list of which some items were refused: what is left says nothing about how many there are.

    `indexes` are those of its items in the file.
    """

    def __init__(self, taken: Iterable[Any] = (), indexes: Iterable[int] = ()) -> None:
        super().__init__(taken)
        self.indexes = tuple(indexes)


class PartialMapping(dict[str, Any]):
    """A mapping of which some entries were refused; `written` has the keys of all, `sound` those not refused."""

    def __init__(self, taken: Mapping[str, Any], all_keys: Iterable[str], valid_keys: Iterable[str]) -> None:
        super().__init__(taken)
        self.written = tuple(all_keys)
        self.sound = tuple(valid_keys)


class PresentFields(set[str]):
    """The fields that a file has of a message; `unknown` are those of which only Terraform knows the value."""

    def __init__(self, names: Iterable[str] = (), unknown: Mapping[str, Unknown] | None = None) -> None:
        super().__init__(names)
        self.unknown = unknown or {}


def valid_keys(mapping: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of a mapping that were not refused, also those whose value was."""
    return mapping.sound if isinstance(mapping, PartialMapping) else tuple(mapping)


class Node(BaseModel):
    """A message of the specifications: a resource, a companion document or a part of one."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, defer_build=True, allow_inf_nan=False, protected_namespaces=()
    )

    unions: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The unions of the message: the name of each and its members."""
    required_unions: ClassVar[frozenset[str]] = frozenset()
    """The unions of which exactly one member must be set."""
    without_union: ClassVar[Mapping[str, Sequence[Mapping[str, Any]]]] = {}
    """Which messages need no member of a required union all the same: by schemas of their fields."""
    one_of: ClassVar[tuple[str, ...]] = ()
    """Fields of which at least one must be set."""
    further_fields: ClassVar[Literal["refused", "not shown", "allowed"]] = "refused"
    """`not shown`: the specification leaves further fields open, so an unknown one is only a warning."""

    alternatives: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Fields that are no union of the specification, but of which only one makes sense: a name and its members."""
    item_key: ClassVar[tuple[str, ...] | None] = None
    """The fields that name such a message among others of a list, the first that it has; empty where none does.

    A list names by its first text, and a message by what names that. Every message that a list holds has to say it.
    """

    @classmethod
    def accept(cls, value: Any) -> Self | None:
        """The message of a value that has nothing wrong; None for any other value."""
        try:
            return cast("Self", cls.__pydantic_validator__.validate_python(value))
        except ValidationError:
            return None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Refuse null, `…_UNSPECIFIED`, a missing or empty required field, and two members of a union."""
        schema: Any = handler(source)
        if schema["type"] != "model":  # it is that of an earlier call
            return cast("CoreSchema", schema)
        fields = schema["schema"]["fields"]
        for name, info in fields.items():
            info["schema"] = _strict_schema(info["schema"], required=field_spec(cls, name).mode == "required")
        exclusive = [frozenset(members) for members in unions(cls).values()]
        if not exclusive:
            return cast("CoreSchema", schema)

        def require_one(node: Node) -> Node:
            for members in exclusive:
                if len(members & node.__pydantic_fields_set__) > 1:
                    raise PydanticCustomError(
                        "union", "only one of {fields} is set", {"fields": ", ".join(sorted(members))}
                    )
            return node

        return core_schema.no_info_after_validator_function(require_one, schema, ref=schema.pop("ref", None))

    def model_dump(
        self, *, warnings: bool | Literal["none", "warn", "error"] = False, **options: Any
    ) -> dict[str, Any]:
        """As pydantic has it; without warnings about what was refused, which is None in every field."""
        return super().model_dump(warnings=warnings, **options)

    def model_dump_json(self, *, warnings: Warnings = False, **options: Any) -> str:
        """As pydantic has it; without warnings about what was refused, which is None in every field."""
        return super().model_dump_json(warnings=warnings, **options)

    def has(self, name: str) -> bool:
        """Whether the field is in the file, with a usable value or one that was refused; null is unset."""
        return name in self.model_fields_set

    def unknown_value(self, name: str) -> Unknown | None:
        """What only Terraform knows of a field: its value or, put together, some of its items; None for nothing."""
        fields = self.model_fields_set
        return fields.unknown.get(name) if isinstance(fields, PresentFields) else None

    def is_unset(self, name: str) -> bool:
        """Whether the file lacks the field, or has an empty list there; one whose items were refused is not empty."""
        value = getattr(self, name)
        return name not in self.model_fields_set or (value == [] and not isinstance(value, TruncatedList))

    def is_partial(self, name: str) -> bool:
        """Whether the value of a field was refused, or some of its items."""
        value = getattr(self, name)
        return isinstance(value, TruncatedList) or (value is None and self.has(name))

    def members(self, union: str) -> list[str]:
        """The members of a union that are in the file, in the order of the specification."""
        return [name for name in self.unions[union] if name in self.model_fields_set]

    def location(self, *steps: str | int) -> SymbolicLocation:
        """The place of this message, or of what the steps lead to from it."""
        return SymbolicLocation(self, steps)

    def finding(
        self, field: str | tuple[str | int, ...] | None, message: str, **details: Unpack[FindingOptions]
    ) -> Finding:
        """A finding about a field, about what steps lead to, or about this message as a whole with None.

        `chars`, `at`, `severity`, `help`, `related` and `fix` are those of `Finding`.
        """
        steps = () if field is None else (field,) if isinstance(field, str) else field
        return Finding(message, SymbolicLocation(self, steps), **details)


def _strict_schema(schema: Any, *, required: bool) -> Any:
    inner = schema["schema"] if schema["type"] == "default" else schema
    if inner["type"] == "nullable":
        inner = inner["schema"]
    if inner["type"] == "any":
        inner = core_schema.no_info_after_validator_function(_not_null, inner)
    if inner["type"] == "literal":
        inner = {**inner, "expected": [word for word in inner["expected"] if not word.endswith(UNSPECIFIED)]}
    if not required:
        return {**schema, "schema": inner} if schema["type"] == "default" else inner
    if inner["type"] in {"str", "list", "dict"}:
        inner = {**inner, "min_length": 1}
    return inner


def _not_null(value: Any) -> Any:
    if value is None:
        raise PydanticCustomError("null", "null counts as unset")
    return value


class Resource(Node):
    """A document of its own: it has a name, and may say its kind."""

    kind: str | None = field("The kind of the document.")


def field_spec(model: type[Node], name: str) -> FieldSpec:
    """What the specification says of a field beyond its type."""
    return cast("FieldSpec", model.model_fields[name].json_schema_extra)


@cache
def fields_of_mode(model: type[Node], mode: Mode) -> frozenset[str]:
    """The fields of a message that have a mode."""
    return frozenset(name for name in model.model_fields if field_spec(model, name).mode == mode)


@cache
def value_type(model: type[Node], name: str) -> Any:
    """The type of a field without `None`."""
    return without_none(model.model_fields[name].annotation)


@cache
def message_fields(model: type[Node]) -> tuple[tuple[str, bool, type[Node]], ...]:
    """The fields of a message that hold messages: name, whether it is a list, and the message's type."""
    fields: list[tuple[str, bool, type[Node]]] = []
    for name in model.model_fields:
        kind = value_type(model, name)
        is_list = get_origin(kind) is list
        inner = get_args(kind)[0] if is_list else kind
        if isinstance(inner, type) and issubclass(inner, Node):
            fields.append((name, is_list, inner))
    return tuple(fields)


@cache
def unions(model: type[Node]) -> Mapping[str, tuple[str, ...]]:
    """The unions of a message, and the fields that are as good as one: the name of each and its members."""
    return {**model.unions, **model.alternatives}


@cache
def messages_in(model: type[Node]) -> tuple[type[Node], ...]:
    """A message and all that are in it, each once, each followed by those that are in it."""
    inner = (message for _, _, part in message_fields(model) for message in messages_in(part))
    return tuple(dict.fromkeys((model, *inner)))


@cache
def item_key_fields(root: type[Node]) -> tuple[str, ...]:
    """The fields that name an item of some list in a message, each once, in the order of the messages.

    For values whose classes are not known. Of two fields of one class the one that names it first comes first.
    """
    fields: dict[str, None] = {}
    pending, seen = [root], {root}
    while pending:
        parts = message_fields(pending.pop(0))
        for part in (part for _, is_list, part in parts if is_list):
            fields.update(dict.fromkeys(part.item_key or ()))
        new = dict.fromkeys(part for _, _, part in parts if part not in seen)
        seen.update(new)
        pending += new
    return tuple(fields)


@cache
def fields_of_format(model: type[Node], *formats: TextFormat) -> tuple[str, ...]:
    """The fields of a message whose texts have one of these formats, in the order of the message."""
    return tuple(name for name in model.model_fields if field_spec(model, name).format in formats)


@cache
def text_formats(model: type[Node]) -> tuple[TextFormat, ...]:
    """The formats of the texts of a message, without those in the messages inside of it."""
    formats = (field_spec(model, name).format for name in model.model_fields)
    return tuple(dict.fromkeys(text_format for text_format in formats if text_format is not None))


def texts_of_format(node: Node, text_format: TextFormat) -> Iterator[tuple[Path, str]]:
    """The texts of a message that have a format, each with the steps to it; items of lists and values of mappings too.

    Those that were refused, and those in the messages inside of it, are left out.
    """
    for name in fields_of_format(type(node), text_format):
        yield from texts_in(getattr(node, name), (name,))


def texts_in(value: Any, steps: Path) -> Iterator[tuple[Path, str]]:
    """The texts of a value, which may be a list or a mapping of them, each with the steps to it."""
    if isinstance(value, str):
        yield steps, value
    elif isinstance(value, (list, dict)):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts_in(inner, (*steps, step))
