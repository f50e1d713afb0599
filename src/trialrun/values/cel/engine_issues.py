"""Parses the error messages of the engine into issues with positions."""

from __future__ import annotations

import re

from trialrun.lazy_dataclass import dataclass
from trialrun.lazy_pattern import lazy_pattern
from trialrun.values.cel.descriptors import PACKAGE

_ISSUE = lazy_pattern(r"^(?:[A-Z_]+: )?ERROR: <input>:(-?\d+):(-?\d+): (.*)$", re.MULTILINE)
_CONTAINER = lazy_pattern(r" \(in container '.*?'\)")
_LIMIT = lazy_pattern(r"(?i)recursion (?:limit|depth)|codepoint limit|node count exceeded|^CANCELLED")
_TOO_MANY = "maximum number of ERROR issues exceeded"
_CASCADE = "'*error*'"


@dataclass(frozen=True, slots=True)
class Issue:
    """One message of the engine at a code point of the text; -1 without a position."""

    offset: int
    message: str


def parse_issues(text: str, refusal: str) -> list[Issue]:
    """The issues in an error message in text order, without those that are consequences of others."""
    starts = _line_starts(text)
    issues = {Issue(_offset(starts, match), _clean_message(match[3])) for match in _ISSUE.finditer(refusal)}
    # an invalid part has no type, which makes its uses invalid, too
    real = {issue for issue in issues if _CASCADE not in issue.message and _TOO_MANY not in issue.message}
    return sorted((issue for issue in real if issue.message), key=lambda each: (each.offset, each.message))


def is_limit(refusal: str) -> bool:
    """Whether the text exceeds a limit of the engine, which does not mean that it is invalid."""
    return any(_LIMIT.search(line) for line in _engine_messages(refusal))


def _engine_messages(refusal: str) -> list[str]:
    """The messages of the engine without the quoted lines of the text."""
    messages = [match[3] for match in _ISSUE.finditer(refusal)]
    return messages or [refusal]


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _offset(starts: list[int], match: re.Match[str]) -> int:
    line, column = int(match[1]), int(match[2])
    if not 1 <= line < len(starts) or column < 1:
        return -1
    return min(starts[line - 1] + column - 1, starts[-1] - 1)


def _clean_message(message: str) -> str:
    text = _CONTAINER.sub("", message).replace(f"{PACKAGE}.", "").replace(" [INVALID_ARGUMENT]", "")
    text = re.sub(r"\bgoogle\.protobuf\.(?=Timestamp\b|Duration\b)", "", text)
    text = re.sub(r"\b(Timestamp|Duration)\b", lambda match: match[1].lower(), text)
    text = re.sub(r"\bT%\d+", "dyn", text)
    return re.sub(r"\bwrapper\((\w+)\)", r"\1?", text).replace("null_type", "null")
