"""The values of plain scalars: the core schema of YAML 1.2, and where parsers of YAML 1.1 differ.

Tags of the core schema are followed; any other is a mistake where plain text is expected.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from trialrun.parser.events import Event

AMBIGUOUS: Final = object()
"""Marks, in `WORDS`, a word that is text here and a boolean in YAML 1.1."""

_NULLS = ("", "~", "null", "Null", "NULL")
_BOOLEANS_1_1 = {
    **dict.fromkeys(("yes", "Yes", "YES", "on", "On", "ON"), "true"),
    **dict.fromkeys(("no", "No", "NO", "off", "Off", "OFF"), "false"),
}

WORDS: Final[dict[str, object]] = {
    **dict.fromkeys(_NULLS, None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((*_BOOLEANS_1_1, "="), AMBIGUOUS),
}
"""The plain scalars that are a word of the core schema, or would be one in YAML 1.1."""

AMBIGUOUS_WORDS: Final = frozenset(word for word, value in WORDS.items() if value is AMBIGUOUS)
NUMBER_STARTS: Final = frozenset("0123456789+-.")

MAX_DIGITS = 4000
"""Longer numbers stay text: Python refuses to convert more than 4,300 digits, back and forth."""

decimal = re.compile(rf"[-+]?(?:0|[1-9][0-9]{{0,{MAX_DIGITS - 1}}})\Z").match
"""An integer that is the same number in every parser."""

_integer = re.compile(rf"[-+]?0[0-9]{{1,{MAX_DIGITS}}}\Z").match
_octal = re.compile(r"0o[0-7]{1,1000}\Z").match
_hexadecimal = re.compile(r"0x[0-9a-fA-F]{1,1000}\Z").match
_float = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z").match
_float_1_1 = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?\Z").match
_integer_1_1 = re.compile(r"[-+]?(?:0b[01_]+|0[0-7_]+|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?:(?::[0-5]?[0-9])+)?)\Z").match
_other_float_1_1 = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?\Z"
    r"|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?\Z"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*\Z"
).match
_timestamp_1_1 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
    r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?\Z"
).match
_SPECIAL_FLOATS = {
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}


class ScalarValue(NamedTuple):
    """The value of a plain scalar, and what it is in YAML 1.1 where that differs."""

    value: object
    yaml_1_1: str | None = None

    @property
    def is_ambiguous(self) -> bool:
        return self.yaml_1_1 is not None


def parse_plain_scalar(text: str) -> ScalarValue:
    """The value of a plain scalar by the core schema of YAML 1.2 (chapter 10.3), and that of YAML 1.1."""
    if text in WORDS:
        value = WORDS[text]
        return (
            ScalarValue(text, _BOOLEANS_1_1.get(text, "a default value")) if value is AMBIGUOUS else ScalarValue(value)
        )
    return parse_number(text) if text[0] in NUMBER_STARTS else ScalarValue(text)


def parse_number(text: str) -> ScalarValue:
    """The value of a plain scalar that begins as a number does, by both versions."""
    if decimal(text):
        return ScalarValue(int(text))
    if _integer(text):
        return ScalarValue(int(text), _padded_in_yaml_1_1(text))
    if len(text) < 400 and _float(text):
        return ScalarValue(float(text), None if _float_1_1(text) else "text")
    if _octal(text):
        return ScalarValue(int(text[2:], 8), "text")
    if _hexadecimal(text):
        return ScalarValue(int(text[2:], 16))
    if text in _SPECIAL_FLOATS:
        return ScalarValue(_SPECIAL_FLOATS[text])
    return ScalarValue(text, _text_in_yaml_1_1(text))


def _padded_in_yaml_1_1(text: str) -> str | None:
    digits = text.lstrip("+-")
    if digits.strip("01234567"):
        return "text"
    octal = int(digits, 8)
    return None if octal == int(digits) else f"the octal number {_shorten(str(octal))}"


def _text_in_yaml_1_1(text: str) -> str | None:
    if len(text) > MAX_DIGITS:
        return None
    if _timestamp_1_1(text):
        return "a date" if len(text) <= 10 else "a timestamp"
    if ":" in text and (_integer_1_1(text) or _other_float_1_1(text)):
        return "a number in base 60"
    return "a number" if _integer_1_1(text) or _other_float_1_1(text) else None


def to_unambiguous_text(text: str, value: object) -> str:
    """What to write instead of an ambiguous plain scalar, so that every parser reads the same value."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return format_float(value)
    return quote(text)


def format_float(value: float) -> str:
    """A float that readers of YAML 1.1 take for one too: with a dot before the exponent."""
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else f"{'-' if value < 0 else ''}.inf"
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


def quote(text: str) -> str:
    """The text as a quoted YAML scalar of one line."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(_escape(character) for character in text) + '"'


def _escape(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    if character == "\n":
        return "\\n"
    return f"\\U{ord(character):08x}" if ord(character) > 0xFFFF else f"\\u{ord(character):04x}"


def _shorten(digits: str) -> str:
    return digits if len(digits) <= 20 else f"{digits[:17]}…"


_CORE: Final = "tag:yaml.org,2002:"
_TYPES: Final[dict[str, type]] = {
    _CORE + "int": int,
    _CORE + "float": float,
    _CORE + "bool": bool,
    _CORE + "null": type(None),
}


class TaggedScalar(NamedTuple):
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
