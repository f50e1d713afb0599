"""The likely cause of a text that is no YAML: where it stands, what to write, and how to read on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from trialrun.parser.compose import Refused
from trialrun.parser.document import Slice
from trialrun.parser.events import YAMLError
from trialrun.parser.line_scanner import Lines
from trialrun.parser.repair import Fault, Slip, fault_of
from trialrun.parser.syntax_hints.brackets import unclosed_bracket
from trialrun.parser.syntax_hints.colons import colon_in_value, first_line, missing_colon_above, not_a_key
from trialrun.parser.syntax_hints.fallback import blanked_line
from trialrun.parser.syntax_hints.indentation import directive, indentation, list_beside_key, tabs
from trialrun.parser.syntax_hints.indicators import collection_as_key, reserved_beginning, template
from trialrun.parser.syntax_hints.merge_conflicts import merge_conflict
from trialrun.parser.syntax_hints.quotes import bad_escape, text_after_quote, unclosed_quote

_CAUSES: Final[tuple[Callable[[Slice, Lines, Fault], Slip | None], ...]] = (
    merge_conflict,
    bad_escape,
    tabs,
    directive,
    unclosed_quote,
    template,
    collection_as_key,
    text_after_quote,
    reserved_beginning,
    colon_in_value,
    missing_colon_above,
    first_line,
    not_a_key,
    unclosed_bracket,
    list_beside_key,
    indentation,
)
"""The causes, the telling ones first."""


def slip_in(part: Slice, lines: Lines, error: YAMLError | Refused) -> Slip | None:
    """The likely cause of an error, with its repair; None when nothing is left to repair."""
    fault = fault_of(part.text, error)
    for cause in _CAUSES:
        slip = cause(part, lines, fault)
        if slip is None:
            continue
        line = lines.number(slip.start)
        if slip.start in lines.repaired or (line in lines.told and not slip.overrides):
            break
        lines.told.add(line)
        lines.repaired.add(slip.start)
        return slip
    return blanked_line(part, lines, fault)
