"""A document as the text of a YAML file in one layout, so that equal documents have equal texts.

Collections are in block style, indented by two spaces; texts of several lines are literal blocks where these keep them,
and other texts have quotes only where they need them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.fix.scalar_style import can_be_plain, needs_escape, quote, render_scalar

INDENT = "  "
MAX_SIMPLE_KEY = 500
"""Characters of a key that stands on one line with its value; YAML allows at most 1,024."""


def canonical_yaml(document: Mapping[str, Any]) -> str:
    """The text of a YAML file that has one document, which reads back as exactly the same value."""
    return "".join(f"{line}\n" for line in _block(document))


def _block(value: Any) -> Iterator[str]:
    """The lines of a value, not indented."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _entry(key, inner)
    elif isinstance(value, list) and value:
        for item in value:
            yield from _item(item)
    else:
        yield from _scalar_lines(value)


def _entry(key: str, value: Any) -> Iterator[str]:
    name = key if can_be_plain(key, in_flow=False) else quote(key)
    if len(name) > MAX_SIMPLE_KEY:
        yield f"? {name}"
        name = ""
    if isinstance(value, Mapping | list) and value:
        yield f"{name}:"
        yield from (INDENT + line if line else line for line in _block(value))
    else:
        first, *rest = _scalar_lines(value)
        yield f"{name}: {first}"
        yield from rest


def _item(value: Any) -> Iterator[str]:
    first, *rest = _block(value)
    yield f"- {first}"
    if isinstance(value, Mapping | list):
        yield from (INDENT + line if line else line for line in rest)
    else:
        yield from rest


def _scalar_lines(value: Any) -> list[str]:
    """The lines of a scalar or an empty collection; those of a literal block after the first are indented."""
    if isinstance(value, str):
        return _text_lines(value)
    if isinstance(value, Mapping | list):
        return ["{}" if isinstance(value, Mapping) else "[]"]
    return [render_scalar(value, "plain")]


def _text_lines(text: str) -> list[str]:
    lines = text.split("\n")
    if len(lines) == 1 or not _is_literal(lines):
        return [text if can_be_plain(text, in_flow=False) else quote(text)]
    ends_with_line_break = lines[-1] == ""
    content = lines[:-1] if ends_with_line_break else lines
    return ["|" if ends_with_line_break else "|-", *(INDENT + line if line else "" for line in content)]


def _is_literal(lines: list[str]) -> bool:
    """Whether a literal block keeps the lines, and shows all of what they contain."""
    if not lines[0] or lines[0].startswith(" ") or (lines[-1] == "" and lines[-2] == ""):
        return False
    return all(line == line.rstrip() and not needs_escape.search(line) for line in lines)
