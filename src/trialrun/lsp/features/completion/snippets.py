"""What a field or a whole document begins with: what it cannot do without, with tab stops where a person goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Literal

from trialrun.model.node import UNSPECIFIED, Node, facts
from trialrun.model.proto_json import Shape, item, shape
from trialrun.model.unions import unions

Style = Literal["block", "flow", "json"]
STOP, MEANT = "\x01\x02", "\x01{}\x02"
"""A tab stop, and one that proposes words or, between bars, a choice of them."""
INDENTATION = "  "
_STOP = re.compile("\x01([^\x02]*)\x02")
_NUMBERED = re.compile(r"(?<!\\)\$(?:\d+|\{\d+(?::([^}]*)|\|([^}]*)\|)?\})")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
ANYWHERE = ("source", "sync option")
"""Unions that a document does well to have a member of, though it may do without."""


def snippet(text: str) -> str:
    """A text with its tab stops numbered; the only one is where the cursor ends."""
    literal = re.sub(r"[\\$}]", r"\\\g<0>", text)
    number = count(0 if text.count("\x01") == text.count(STOP) == 1 else 1)
    return _STOP.sub(lambda stop: _numbered(stop[1], next(number)), literal)


def _numbered(words: str, number: int) -> str:
    if words.startswith("|"):
        return f"${{{number}{words}}}"
    return f"${{{number}:{words}}}" if words else f"${number}"


def without_tab_stops(text: str) -> str:
    """The text of a snippet with the words that its tab stops propose, of a choice the first."""
    plain = _NUMBERED.sub(lambda stop: stop[1] or (stop[2] or "").partition(",")[0], text)
    return re.sub(r"\\([\\$}])", r"\1", plain)


def wanted(model: type[Node]) -> list[str]:
    """The fields without which a message is not complete."""
    return [name for name in model.model_fields if facts(model, name).mode == "required"]


def of_field(of: Shape, style: Style, indentation: str = "") -> str:
    """What stands behind the name of a field, from its colon on; further lines are indented by so much."""
    text = ":" + _value(of, style, indentation + INDENTATION)
    return text.removesuffix(STOP) if text.count("\x01") == 1 else text


def in_brackets(of: Shape, style: Style) -> str:
    """A whole value on one line."""
    return _inline(of, style)


def _value(of: Shape, style: Style, indentation: str) -> str:
    if style != "block" or not _has_lines(of):
        return " " + _inline(of, style)
    if of.listed:
        return f"\n{indentation}- {_item(item(of), indentation + INDENTATION)}"
    lines = list(_members(of.model, indentation)) if of.model else [STOP]
    return "".join(f"\n{indentation}{line}" for line in lines or [STOP])


def _has_lines(of: Shape) -> bool:
    """Whether a value stands in the lines below its key; a message without fields does not."""
    return of.listed or of.values is not None or (of.model is not None and len(of.model.model_fields) > 0)


def _item(of: Shape, indentation: str) -> str:
    if of.listed or not of.model:
        return _inline(of, "block") if of.enum or not of.values else STOP
    return f"\n{indentation}".join(_members(of.model, indentation)) or STOP


def _members(model: type[Node], indentation: str) -> Iterator[str]:
    """The lines of a message in a block, each from its own indentation on."""
    for name in wanted(model):
        yield name + ":" + _value(shape(model, name), "block", indentation + INDENTATION)
    if model.required_unions:
        yield STOP


def _inline(of: Shape, style: Style) -> str:
    if of.listed:
        return f"[{_inline(item(of), style) if _is_told(of) else STOP}]"
    if of.model is not None:
        told = [f"{_key(name, style)}: {_inline(shape(of.model, name), style)}" for name in wanted(of.model)]
        return "{" + (", ".join(told) or (STOP if of.model.model_fields else "")) + "}"
    if of.values is not None:
        return "{" + STOP + "}"
    return _scalar(of, style)


def _is_told(of: Shape) -> bool:
    return of.model is None or bool(wanted(of.model))


def _scalar(of: Shape, style: Style) -> str:
    values = [value for value in of.enum if not value.endswith(UNSPECIFIED)]
    is_text = (of.scalar is str or of.int64 or bool(values)) and style == "json"
    stop = MEANT.format(f"|{','.join(values)}|") if values else STOP
    stop = MEANT.format("|true,false|") if of.scalar is bool else stop
    if style == "json" and of.scalar in (int, float) and not of.int64:
        stop = MEANT.format(int(of.at_least or 0))
    return f'"{stop}"' if is_text else stop


def _key(name: str, style: Style) -> str:
    return f'"{name}"' if style == "json" else name


def of_document(kind: str, model: type[Node]) -> str:
    """A whole document of a kind, in the lines of a block."""
    lines = [f"kind: {kind}"]
    known = facts(model, "name") if "name" in model.model_fields else None
    if known is not None:
        lines.append("name: " + (_PLACEHOLDER.sub(_named, known.format) if known.format else STOP))
    chosen = [unions(model)[union][0] for union in unions(model) if union in ANYWHERE]
    for name in [*chosen, *(one for one in wanted(model) if one != "name")]:
        lines.append(name + ":" + _value(shape(model, name), "block", INDENTATION))
    return "\n".join(lines) + "\n"


def _named(match: re.Match[str]) -> str:
    return MEANT.format(match[1])
