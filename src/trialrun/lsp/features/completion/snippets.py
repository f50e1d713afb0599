"""Snippets for fields and whole documents: required parts, with tab stops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Literal

from trialrun.model.node import UNSPECIFIED, Node, field_spec
from trialrun.model.proto_json import FieldType, field_type, item_type
from trialrun.model.unions import unions

Style = Literal["block", "flow", "json"]
STOP, CHOICE_STOP = "\x01\x02", "\x01{}\x02"
"""A tab stop, and one with a placeholder or, between bars, choices."""
INDENTATION = "  "
_STOP = re.compile("\x01([^\x02]*)\x02")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
ANYWHERE = ("source", "sync option")
"""Unions that are not required, but usually have a member."""


def number_tab_stops(text: str) -> str:
    """A text with numbered tab stops; a single one is the final cursor position."""
    literal = re.sub(r"[\\$}]", r"\\\g<0>", text)
    number = count(0 if text.count("\x01") == text.count(STOP) == 1 else 1)
    return _STOP.sub(lambda stop: _numbered(stop[1], next(number)), literal)


def _numbered(words: str, number: int) -> str:
    if words.startswith("|"):
        return f"${{{number}{words}}}"
    return f"${{{number}:{words}}}" if words else f"${number}"


def required_fields(model: type[Node]) -> list[str]:
    """The fields without which a message is incomplete."""
    required = [name for name in model.model_fields if field_spec(model, name).mode == "required"]
    return [*model.one_of[:1], *required]


def field_snippet(of: FieldType, style: Style, indentation: str = "") -> str:
    """The text after the name of a field, starting with the colon; further lines are indented."""
    text = ":" + _value(of, style, indentation + INDENTATION)
    return text.removesuffix(STOP) if text.count("\x01") == 1 else text


def inline_snippet(of: FieldType, style: Style) -> str:
    """A value on one line."""
    return _inline(of, style)


def _value(of: FieldType, style: Style, indentation: str) -> str:
    if style != "block" or not _has_lines(of):
        return " " + _inline(of, style)
    if of.is_list:
        return f"\n{indentation}- {_item(item_type(of), indentation + INDENTATION)}"
    lines = list(_members(of.model, indentation)) if of.model else [STOP]
    return "".join(f"\n{indentation}{line}" for line in lines or [STOP])


def _has_lines(of: FieldType) -> bool:
    """Whether a value is on lines below its key; not for a message without fields."""
    return of.is_list or of.values is not None or (of.model is not None and len(of.model.model_fields) > 0)


def _item(of: FieldType, indentation: str) -> str:
    if of.is_list or not of.model:
        return _inline(of, "block") if of.enum or not of.values else STOP
    return f"\n{indentation}".join(_members(of.model, indentation)) or STOP


def _members(model: type[Node], indentation: str) -> Iterator[str]:
    """The lines of a message in block style, each with its indentation."""
    for name in required_fields(model):
        yield name + ":" + _value(field_type(model, name), "block", indentation + INDENTATION)
    if model.required_unions:
        yield STOP


def _inline(of: FieldType, style: Style) -> str:
    if of.is_list:
        return f"[{_inline(item_type(of), style) if _is_told(of) else STOP}]"
    if of.model is not None:
        fields = [
            f"{_key(name, style)}: {_inline(field_type(of.model, name), style)}" for name in required_fields(of.model)
        ]
        return "{" + (", ".join(fields) or (STOP if of.model.model_fields else "")) + "}"
    if of.values is not None:
        return "{" + STOP + "}"
    return _scalar(of, style)


def _is_told(of: FieldType) -> bool:
    return of.model is None or bool(required_fields(of.model))


def _scalar(of: FieldType, style: Style) -> str:
    values = [value for value in of.enum if not value.endswith(UNSPECIFIED)]
    is_text = (of.scalar is str or of.int64 or bool(values)) and style == "json"
    stop = CHOICE_STOP.format(f"|{','.join(values)}|") if values else STOP
    stop = CHOICE_STOP.format("|true,false|") if of.scalar is bool else stop
    if style == "json" and of.scalar in (int, float) and not of.int64:
        stop = CHOICE_STOP.format(int(of.minimum or 0))
    return f'"{stop}"' if is_text else stop


def _key(name: str, style: Style) -> str:
    return f'"{name}"' if style == "json" else name


def document_snippet(kind: str, model: type[Node]) -> str:
    """A whole document of a kind in block style."""
    lines = [f"kind: {kind}"]
    known = field_spec(model, "name") if "name" in model.model_fields else None
    if known is not None:
        lines.append("name: " + (_PLACEHOLDER.sub(_name_placeholder, known.name_format) if known.name_format else STOP))
    chosen = [unions(model)[union][0] for union in unions(model) if union in ANYWHERE]
    for name in [*chosen, *(required_field for required_field in required_fields(model) if required_field != "name")]:
        lines.append(name + ":" + _value(field_type(model, name), "block", INDENTATION))
    return "\n".join(lines) + "\n"


def _name_placeholder(match: re.Match[str]) -> str:
    return CHOICE_STOP.format(match[1])
