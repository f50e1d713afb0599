"""The likely cause of a YAML syntax error: where it is, what to write, and how to parse on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from trialrun.parser.compose import Unsupported
from trialrun.parser.events import YAMLError
from trialrun.parser.line_scanner import LineScanner
from trialrun.parser.parse_error import SourceSlice
from trialrun.parser.repair import ParserFault, Repair, to_fault
from trialrun.parser.syntax_hints.colons import colon_in_value, first_line, missing_colon_above, not_a_key
from trialrun.parser.syntax_hints.fallback import blanked_line
from trialrun.parser.syntax_hints.indentation import directive, indentation, list_beside_key, tabs
from trialrun.parser.syntax_hints.indicators import collection_as_key, reserved_beginning, template
from trialrun.parser.syntax_hints.merge_conflicts import merge_conflict
from trialrun.parser.syntax_hints.quotes import bad_escape, text_after_quote, unclosed_bracket, unclosed_quote

_CAUSES: Final[tuple[Callable[[SourceSlice, LineScanner, ParserFault], Repair | None], ...]] = (
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
"""The causes, the most specific ones first."""


def find_repair(part: SourceSlice, lines: LineScanner, error: YAMLError | Unsupported) -> Repair | None:
    """The likely cause of an error, with its repair; None when nothing is left to repair."""
    fault = to_fault(part.text, error)
    for cause in _CAUSES:
        repair = cause(part, lines, fault)
        if repair is None:
            continue
        line = lines.line_number(repair.start)
        if repair.start in lines.repaired or (line in lines.reported and not repair.overrides):
            break
        lines.reported.add(line)
        lines.repaired.add(repair.start)
        return repair
    return blanked_line(part, lines, fault)
