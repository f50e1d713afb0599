"""What a condition can read: the types and variables of a session, as `kind: SessionSchema` declares them.

A type is one of string, int, uint, double, bool, bytes, timestamp, duration, dyn, `list(T)`, `map(K, V)`,
`enum(a, b-c)` (a string that is one of these) or the name of a type under `types`; `T?` may be absent.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from trialrun.values.cel.builtins import suggest_name
from trialrun.values.cel.tokens import NAME, RESERVED
from trialrun.values.suggest import NameIndex

SCALARS = ("string", "int", "uint", "double", "bool", "bytes", "timestamp", "duration", "dyn")
CONSTRUCTORS = ("list", "map", "enum")
BUILTIN_TYPES = (*SCALARS, *CONSTRUCTORS)
"""The names of types that no schema declares."""
KEY_TYPES = ("string", "int", "uint", "bool")
MAX_DEPTH = 16

_TOKEN = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*)|([(),?])|(\S))")


@dataclass(frozen=True, slots=True)
class Type:
    """A type of the schema; `optional` where the value may be absent, `members` where it is an enumeration."""

    name: str
    parameters: tuple[Type, ...] = ()
    members: tuple[str, ...] = ()
    optional: bool = False


def parse_type(text: str, *, known_types: Collection[str] | NameIndex = ()) -> Type:
    """Read a type text; `known_types` are the names of the schema's own types. Raises SchemaError.

    They are in an index with WORDS where many texts are read.
    """
    reader = _TypeParser(text, known_types)
    parsed = reader.type(1)
    word, start, end = reader.next
    if word:
        raise SchemaError((), f'"{word}" follows a type that is complete; remove it', start, end)
    return parsed


class _TypeParser:
    def __init__(self, text: str, known_types: Collection[str] | NameIndex) -> None:
        self.known = known_types
        tokens = ((match, match.lastindex or 0) for match in _TOKEN.finditer(text))
        self.tokens = [(match[group], match.start(group), match.end(group)) for match, group in tokens]
        self.tokens.append(("", len(text), len(text)))
        self.place = 0

    @property
    def next(self) -> tuple[str, int, int]:
        return self.tokens[self.place]

    def take(self, word: str) -> bool:
        taken = self.next[0] == word
        self.place += taken
        return taken

    def expect(self, word: str) -> None:
        if not self.take(word):
            found, start, end = self.next
            raise SchemaError((), f'"{word}" is missing here{f", before {found!r}" if found else ""}', start, end)

    def name(self) -> tuple[str, int, int]:
        token = self.next
        if not NAME.match(token[0]):
            raise SchemaError((), "a name is missing here", token[1], token[2])
        self.place += 1
        return token

    def type(self, depth: int) -> Type:
        name, start, end = self.name()
        if depth > MAX_DEPTH:
            raise SchemaError((), f"types nest deeper than {MAX_DEPTH} levels here", start, end)
        parameters: tuple[Type, ...] = ()
        members: tuple[str, ...] = ()
        if name == "enum":
            members = tuple(self.members())
        elif name in ("list", "map"):
            parameters = self.parameters(name, depth)
        elif name not in SCALARS and name not in self.known:
            own = self.known if isinstance(self.known, NameIndex) else [*BUILTIN_TYPES, *self.known]
            near = suggest_name(name, own)
            advice = f'; did you mean "{near}"?' if near else "; declare it under types"
            raise SchemaError((), f'there is no type "{name}"{advice}', start, end, replacement=near)
        return Type(name, parameters, members, self.take("?"))

    def members(self) -> list[str]:
        self.expect("(")
        enum_members = [self.member()]
        while self.take(","):
            start = self.next[1]
            member = self.member()
            if member in enum_members:
                raise SchemaError((), f'duplicate enum value "{member}"; remove one', start, start + len(member))
            enum_members.append(member)
        self.expect(")")
        return enum_members

    def member(self) -> str:
        """A member of an enumeration: a name that may have hyphens in it."""
        name, _, end = self.name()
        while self.next == ("-", end, end + 1):
            self.place += 1
            part, _, end = self.name()
            name += f"-{part}"
        return name

    def parameters(self, name: str, depth: int) -> tuple[Type, ...]:
        self.expect("(")
        _, start, end = self.next
        first = self.type(depth + 1)
        if name == "list":
            self.expect(")")
            return (first,)
        if first.name not in KEY_TYPES or first.optional:
            raise SchemaError((), f"the keys of a map are {', '.join(KEY_TYPES)}, not {format_type(first)}", start, end)
        self.expect(",")
        second = self.type(depth + 1)
        self.expect(")")
        return (first, second)


def format_type(type_: Type) -> str:
    """Write a type as the schema writes it."""
    inside = type_.members or tuple(format_type(parameter) for parameter in type_.parameters)
    return type_.name + (f"({', '.join(inside)})" if inside else "") + ("?" if type_.optional else "")


TypeTexts = Mapping[str, str]

# names of types that can be written in a condition, as in `type(x) == int`
_TYPE_NAMES = (
    "bool", "bytes", "double", "dyn", "int", "list", "map", "null_type", "optional_type", "string", "type", "uint",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """The types and variables that conditions are checked against; make one with `schema()`.

    Two schemas of equal texts are equal, so what was computed for one serves the other. `library` names functions that
    expressions may call besides those of CEL, as in policies; empty for conditions.
    """

    types: Mapping[str, TypeTexts]
    variables: TypeTexts
    fields: Mapping[str, Mapping[str, Type]] = field(repr=False)
    roots: Mapping[str, Type] = field(repr=False)
    _hash: int = field(repr=False)
    library: str = ""

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        mine = (self.types, self.variables, self.library)
        return isinstance(other, Schema) and mine == (other.types, other.variables, other.library)


class SchemaError(ValueError):
    """A schema that cannot be used: what is wrong, and where.

    `path` leads to the text that is wrong, as in ("types", "Order", "items"); `start` and `end` are code points
    of the type text, or of the name when `in_name`.
    """

    def __init__(
        self,
        path: tuple[str, ...],
        message: str,
        start: int,
        end: int,
        *,
        replacement: str | None = None,
        in_name: bool = False,
    ) -> None:
        super().__init__(f"{'.'.join(path)}: {message}")
        self.path, self.message, self.start, self.end = path, message, start, end
        self.replacement, self.in_name = replacement, in_name


def build_schema(types: Mapping[str, TypeTexts], variables: TypeTexts, *, library: str = "") -> Schema:
    """Make a schema of type texts. Raises the first SchemaError of `schema_errors`."""
    for error in schema_errors(types, variables):
        raise error
    fields = {name: _parse_types(texts, types) for name, texts in types.items()}
    frozen = MappingProxyType({name: MappingProxyType(dict(texts)) for name, texts in types.items()})
    key = hash((frozenset((name, frozenset(texts.items())) for name, texts in types.items()), frozenset(variables)))
    return Schema(frozen, MappingProxyType(dict(variables)), fields, _parse_types(variables, types), key, library)


@lru_cache(maxsize=4)
def type_names(schema: Schema) -> NameIndex:
    """The names of a schema's types."""
    return NameIndex(schema.types)


def _parse_types(texts: TypeTexts, types: Mapping[str, TypeTexts]) -> Mapping[str, Type]:
    return MappingProxyType({name: parse_type(text, known_types=types) for name, text in texts.items()})


def schema_errors(
    types: Mapping[str, TypeTexts], variables: TypeTexts, *, beside: NameIndex | None = None
) -> Iterator[SchemaError]:
    """Everything that is wrong with the texts of a schema, in the order they are written.

    `beside` has the names of further types, which are declared elsewhere.
    """
    known_types = NameIndex((*BUILTIN_TYPES, *types), beside)
    for name, texts in types.items():
        yield from _name_errors(("types", name), name)
        if name in SCALARS or name in CONSTRUCTORS:
            yield _name_error(("types", name), f'"{name}" is already a type; rename this one')
        for each, text in texts.items():
            if each in RESERVED:
                yield _name_error(("types", name, each), f'"{each}" is a reserved word of CEL; rename the field')
            yield from _field_errors(("types", name, each), text, known_types)
    for name, text in variables.items():
        if name in RESERVED or name in _TYPE_NAMES:
            yield _name_error(("variables", name), f'"{name}" is a reserved word of CEL; rename the variable')
        yield from _field_errors(("variables", name), text, known_types)


def _field_errors(path: tuple[str, ...], text: str, known_types: NameIndex) -> Iterator[SchemaError]:
    yield from _name_errors(path, path[-1])
    try:
        parse_type(text, known_types=known_types)
    except SchemaError as error:
        yield SchemaError(path, error.message, error.start, error.end, replacement=error.replacement)


def _name_errors(path: tuple[str, ...], name: str) -> Iterator[SchemaError]:
    if not NAME.match(name):
        yield _name_error(path, f'"{name}" is not a name; use letters, digits and _, and no digit first')


def _name_error(path: tuple[str, ...], message: str) -> SchemaError:
    return SchemaError(path, message, 0, len(path[-1]), in_name=True)


_LABELS = "map(string, string)"

DEFAULT_TYPES: Mapping[str, Mapping[str, str]] = {
    "Order": {"items": "list(Item)", "subtotal": "double", "orderType": "string", "metadata": _LABELS},
    "Item": {
        "uid": "string", "itemId": "string", "displayName": "string", "quantity": "int", "basePrice": "double",
        "modifierGroups": "list(ModifierGroup)",
    },
    "ModifierGroup": {"modifierGroupId": "string", "displayName": "string", "modifiers": "list(Modifier)"},
    "Modifier": {"modifierId": "string", "displayName": "string", "quantity": "int"},
    "Session": {
        "store": "string", "channelType": "string", "daypartId": "string", "laneId": "string",
        "languageCode": "string", "turn": "int", "upsellOffers": "int", "upsellDeclines": "int", "metadata": _LABELS,
        "startTime": "timestamp",
    },
}  # fmt: skip
"""The fields of each type that conditions may read where no document declares any, with the texts of their types."""
DEFAULT_VARIABLES: Mapping[str, str] = {"order": "Order", "session": "Session"}
DEFAULT_SCHEMA = build_schema(DEFAULT_TYPES, DEFAULT_VARIABLES)
