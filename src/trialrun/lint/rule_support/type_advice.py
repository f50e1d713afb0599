"""What to say and do about a value of another type than that of its field, and about a key that no field has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from trialrun.diagnostic import Fix, Replace, WrapInList
from trialrun.model.misfit import UnknownField, WrongType
from trialrun.model.unknown_field import field_list, spellings
from trialrun.parser.parse_error import shorten
from trialrun.parser.scalars import format_float, quote

LONGEST_SHOWN = 40


def expected(misfit: WrongType) -> str:
    """What a field takes, for a message."""
    if misfit.model is None or misfit.fits_as_item:
        return misfit.expected
    if misfit.expected != "a mapping":
        return f"{misfit.expected} with the fields {field_list(misfit.model)}"
    if not misfit.model.model_fields:
        return "{}, a message without fields"
    return f"a mapping with the fields {field_list(misfit.model)}"


def advice(misfit: WrongType) -> Iterator[str]:
    """What to do about a value, where that is clear."""
    if _is_switch(misfit):
        yield "remove the key" if misfit.value is False else "write {}"
    elif misfit.fits_as_item:
        yield ", or ".join(fix.title for fix in readings(misfit))
    elif isinstance(misfit.value, dict) and misfit.expected.startswith("a list"):
        yield "begin each item with a dash"
    elif (
        misfit.model
        and misfit.expected == "a mapping"
        and (isinstance(misfit.value, list) and len(misfit.value) == 1 and isinstance(misfit.value[0], dict))
    ):
        yield "remove the dash"
    elif entry := _entry_without_space(misfit):
        yield f"{entry}: and a space"
    elif text := text_of_braces(misfit):
        alone = "write its item alone, or " if isinstance(misfit.value, list) else ""
        yield f'{alone}quote it if these are characters of the text: "{text}"'
    elif _is_one_of_list(misfit):
        yield "write its item alone"
    elif example := example_item(misfit):
        yield f"write {example}"
    elif fixes := readings(misfit):
        yield ", or ".join(fix.title for fix in fixes) if len(fixes) > 1 else fixes[0].title.partition(": ")[0]
    elif misfit.value is None:
        yield f"write {misfit.expected}, or remove it"


_ENTRY = re.compile(
    r"(?P<key>[A-Za-z_][\w.-]*)(?P<mark>:(?![ \t\r\n/\\]|\Z)|\uff1a|[ \t]*=(?!=))(?P<space>[^\S \t\r\n]?)"
)


def _entry_without_space(misfit: WrongType) -> str | None:
    """Why `cron:0 5 * * *` is a text and no mapping: its colon is none, or no space of YAML follows it."""
    text = misfit.value[0] if isinstance(misfit.value, list) and misfit.value else misfit.value
    found = _ENTRY.match(text) if isinstance(text, str) and "mapping" in misfit.expected else None
    if not found or (misfit.model and found["key"] not in spellings(misfit.model)):
        return None
    if found["mark"] != ":":
        why = f"{found['mark'].strip()} is no colon"
    else:
        why = f"U+{ord(found['space']):04X} is not a space to YAML" if found["space"] else "no space follows its colon"
    return f"{why}, write {found['key']}"


def _is_one_of_list(misfit: WrongType) -> bool:
    """Whether a scalar was written as the only item of a list."""
    is_scalar = misfit.model is None and not misfit.expected.startswith(("a list", "a mapping"))
    return (
        is_scalar
        and isinstance(misfit.value, list)
        and len(misfit.value) == 1
        and not isinstance(misfit.value[0], list | dict)
    )


def text_of_braces(misfit: WrongType) -> str | None:
    """The text that `{brand}`, `Today: fries` or `[Fries]` may have been meant to be, a mapping or a list in YAML."""
    if misfit.expected not in ("text", "a list of texts"):
        return None
    match misfit.value:
        case dict() if len(misfit.value) == 1:
            ((key, value),) = misfit.value.items()
            if value is None:
                return f"{key}:" if " " in key else f"{{{key}}}"
            return f"{key}: {value}" if isinstance(value, str) else None
        case [str() as text] if misfit.expected == "text":
            return f"[{text}]"
    return None


def example_item(misfit: WrongType) -> str | None:
    """How the first text of a list is written as a message, by the field that names one."""
    if misfit.model is None or misfit.expected == "a mapping":
        return None
    text = misfit.value[0] if isinstance(misfit.value, list) and misfit.value else misfit.value
    naming = next((name for name in misfit.model.model_fields if name.endswith(("Name", "name", "Id"))), None)
    if not isinstance(text, str) or naming is None or len(text) > LONGEST_SHOWN:
        return None
    return f"{{{naming}: {text}}} for each"


def _is_switch(misfit: WrongType) -> bool:
    """Whether a message without fields was written as a boolean."""
    return misfit.model is not None and not misfit.model.model_fields and isinstance(misfit.value, bool)


def fix(misfit: WrongType) -> Fix | None:
    """The fix of a value, if it can be meant in one way only."""
    fixes = readings(misfit)
    return fixes[0] if len(fixes) == 1 else None


def readings(misfit: WrongType) -> tuple[Fix, ...]:
    """The fixes of a value; several where it may be meant in several ways, of which a person picks one."""
    location = misfit.location
    if _is_switch(misfit):
        return (Fix("write {}", (Replace(location, {}),)),) if misfit.value else ()
    texts = _texts(misfit)
    lists = [[text] for text in texts] if misfit.expected == "a list of texts" else []
    if misfit.fits_as_item and isinstance(misfit.value, str):
        lists = _lists(misfit.value)
    if lists:
        sources = [json.dumps(items, ensure_ascii=False) for items in lists]
        return tuple(Fix(f"write {shorten(source)}", (Replace(location, source=source),)) for source in sources)
    if misfit.fits_as_item:
        return (Fix("make it a list", (WrapInList(location),), safe=True),)
    if misfit.expected == "text":
        is_safe, verb = (isinstance(misfit.value, bool), "quote it:") if len(texts) == 1 else (False, "write")
        return tuple(Fix(f"{verb} {quote(text)}", (Replace(location, text),), safe=is_safe) for text in texts)
    if misfit.converted is None:
        return ()
    new = misfit.converted
    source = f'"{new}"' if isinstance(new, str) else format_float(new) if isinstance(new, float) else str(new).lower()
    return (Fix(f"write {source}", (Replace(location, new),), misfit.is_lossless),)


_SEPARATOR = re.compile(r"[,;\n]")
_DASH = re.compile(r"(?:\A|(?<=\s))(?:-|[\u2010-\u2015\u2022\u00b7]\s)\s*(?=\S)")
"""The dash of an item that no space follows, or another dash or bullet: YAML reads it and the lines below as a text."""


def _lists(text: str) -> list[list[str]]:
    """The lists that a text may be meant to be, where it plainly has items; one of the text itself if both may be."""
    if text.startswith("[") and text.rstrip().endswith("]"):
        return [_items(_SEPARATOR, text.strip(" []\n"))]
    if _DASH.match(text):
        return [_items(_DASH, text)]
    items = _items(_SEPARATOR, text)
    return [items, [text]] if len(items) > 1 else []


def _items(separator: re.Pattern[str], text: str) -> list[str]:
    parts = (part.strip() for part in separator.split(text))
    return [part[1:-1] if part[0] in "\"'" and part[0] == part[-1] else part for part in parts if part]


def _texts(misfit: WrongType) -> tuple[str, ...]:
    """The texts that a number or a boolean may be meant to be: its characters, and for True also true."""
    if isinstance(misfit.value, bool):
        word = misfit.converted
        return tuple(dict.fromkeys((misfit.spelling or word, word))) if word else ()
    if isinstance(misfit.value, int | float) and (text := misfit.spelling or misfit.converted):
        return (text,) if len(text) <= LONGEST_SHOWN else ()
    return ()


def format_value(value: Any, spelling: str | None) -> str:
    """A value, for a message, as it is spelled in the file."""
    match value:
        case None:
            return "null"
        case bool():
            return spelling or str(value).lower()
        case str():
            return f'the text "{value}"' if len(value) <= LONGEST_SHOWN else f'the text "{value[:LONGEST_SHOWN]}…"'
        case int() | float():
            text = spelling or (str(value) if abs(value) < 10**LONGEST_SHOWN else "")
            return f"the number {text}" if 0 < len(text) <= LONGEST_SHOWN else "a number"
        case [str(), *rest] if all(isinstance(item, str) for item in rest):
            return "a list of texts"
        case list():
            return "a list"
    return "a mapping"


_OF_EXPRESSIONS = frozenset("()=<>&|!'\"")
"""Characters of conditions, which no key has."""


def key_advice(misfit: UnknownField) -> str:
    """The end of a message about an unknown key: what it was meant to be, or where it belongs."""
    key = str(misfit.path[-1])
    if key == "$schema":
        return "; the service refuses it, name the schema in the settings of the editor (trialrun docs editors)"
    if not misfit.candidate and key.replace(".", "").isdecimal():
        return "; between brackets a comma ends a value, write a number with a point"
    odd = next((char for char in key if char.isspace() and char != " "), None)
    if odd is not None:
        return f"; it has a U+{ord(odd):04X}, which is not a space to YAML, write plain spaces"
    if not misfit.candidate and key != "<<" and not _OF_EXPRESSIONS.isdisjoint(key):
        return "; between brackets a comma ends a value, quote the whole value"
    if misfit.candidate:
        beside = "" if misfit.candidate_is_free else ", which is already set"
        return f'; did you mean "{misfit.candidate}"{beside}?'
    if homes := list(dict.fromkeys(home.phrase for home in misfit.owners)):
        return f"; it belongs {' or '.join(homes)}"
    if fields_text := field_list(misfit.model):
        return f"; its fields are {fields_text}"
    return "; it has no fields: write {} to set it, or remove the key"
