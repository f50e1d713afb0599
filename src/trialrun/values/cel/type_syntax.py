"""The type texts of a session schema: `list(Item)`, `map(string, int)`, `timestamp`, `string?`."""

from __future__ import annotations

import re
from collections.abc import Collection

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.identifiers import NAME
from trialrun.values.similarity import NameIndex

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


class TypeTextError(ValueError):
    """A type text that names no type, with the characters that are wrong."""

    def __init__(self, message: str, start: int, end: int, replacement: str | None = None) -> None:
        super().__init__(message)
        self.message, self.start, self.end, self.replacement = message, start, end, replacement


def parse_type(text: str, *, known_types: Collection[str] | NameIndex = ()) -> Type:
    """Read a type text; `known` are the names of the schema's own types, in an index with WORDS where many are read.

    Raises TypeTextError.
    """
    reader = _TypeParser(text, known_types)
    parsed = reader.type(1)
    word, start, end = reader.next
    if word:
        raise TypeTextError(f'"{word}" follows a type that is complete; remove it', start, end)
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
            word_found, start, end = self.next
            raise TypeTextError(
                f'"{word}" is missing here{f", before {word_found!r}" if word_found else ""}', start, end
            )

    def name(self) -> tuple[str, int, int]:
        token = self.next
        if not NAME.match(token[0]):
            raise TypeTextError("a name is missing here", token[1], token[2])
        self.place += 1
        return token

    def type(self, depth: int) -> Type:
        name, start, end = self.name()
        if depth > MAX_DEPTH:
            raise TypeTextError(f"types nest deeper than {MAX_DEPTH} levels here", start, end)
        parameters: tuple[Type, ...] = ()
        members: tuple[str, ...] = ()
        if name == "enum":
            members = tuple(self.members())
        elif name in ("list", "map"):
            parameters = self.parameters(name, depth)
        elif name not in SCALARS and name not in self.known:
            raise self.unknown(name, start, end)
        return Type(name, parameters, members, self.take("?"))

    def members(self) -> list[str]:
        self.expect("(")
        enum_members = [self.member()]
        while self.take(","):
            start = self.next[1]
            member = self.member()
            if member in enum_members:
                raise TypeTextError(f'duplicate enum value "{member}"; remove one', start, start + len(member))
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
            raise TypeTextError(f"the keys of a map are {', '.join(KEY_TYPES)}, not {format_type(first)}", start, end)
        self.expect(",")
        second = self.type(depth + 1)
        self.expect(")")
        return (first, second)

    def unknown(self, name: str, start: int, end: int) -> TypeTextError:
        from trialrun.values.cel.suggest import suggest_name

        near = suggest_name(name, self.known if isinstance(self.known, NameIndex) else [*BUILTIN_TYPES, *self.known])
        advice = f'; did you mean "{near}"?' if near else "; declare it under types"
        return TypeTextError(f'there is no type "{name}"{advice}', start, end, near)


def format_type(type_: Type) -> str:
    """Write a type as the schema writes it."""
    inside = type_.members or tuple(format_type(parameter) for parameter in type_.parameters)
    return type_.name + (f"({', '.join(inside)})" if inside else "") + ("?" if type_.optional else "")
