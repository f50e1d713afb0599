"""How messages declare their fields: one call of `field` for each, in the words of the specification's tables."""

from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import Field, GetCoreSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import core_schema

from trialrun.lazy_dataclass import dataclass

Mode = Literal["optional", "required", "output only", "identifier"]
UNSPECIFIED = "_UNSPECIFIED"
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


NO_SPEC = FieldSpec()


class Limits(NamedTuple):
    """Bounds of a number, both inclusive, and the most Unicode code points of a text; None is open."""

    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None


def limits_of(info: FieldInfo) -> Limits:
    """The limits that a field declares."""
    found = {name: bound for part in info.metadata for name, bound in _bounds(part)}
    return Limits(found.get("ge"), found.get("le"), found.get("max_length"))


def _bounds(part: Any) -> list[tuple[str, Any]]:
    return [(name, getattr(part, name)) for name in ("ge", "le", "max_length") if hasattr(part, name)]


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
