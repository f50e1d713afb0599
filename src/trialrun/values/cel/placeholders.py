"""Placeholders that nothing filled in: `${LIMIT}`, `{{ limit }}`, `{limit}`; no text with one of them is CEL."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.values.cel.tokens import tokenize
from trialrun.values.problem import Problem

_PLACEHOLDER = re.compile(r"\$\{[^{}]*\}|\{\{[^{}]*\}\}|\$\([A-Za-z_]\w*\)|\{\s*[A-Za-z_][\w.-]*\s*\}")
_ASSUMED_VALUE = "dyn(0)"


def placeholders(text: str) -> tuple[Problem, ...]:
    """The placeholders of a condition outside of its texts; with what stands in for each, the rest can be judged."""
    if "{" not in text and "$(" not in text:
        return ()
    strings = [(token.start, token.end) for token in tokenize(text, []) if token.kind == "string"]
    return tuple(_problem(match) for match in _placeholders_outside(text, strings))


def _placeholders_outside(text: str, strings: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    for match in _PLACEHOLDER.finditer(text):
        is_message = match.start() > 0 and (text[match.start() - 1].isalnum() or text[match.start() - 1] in "_.")
        if not is_message and not any(start < match.end() and match.start() < end for start, end in strings):
            yield match


def _problem(match: re.Match[str]) -> Problem:
    start, end = match.span()
    message = f"{match[0]} is a placeholder; fill it in"
    return Problem("placeholder", start, end, message, assumed_text=(start, end, _ASSUMED_VALUE))
