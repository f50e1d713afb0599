"""Converts parse errors to findings: the parser provides the message, location and fix."""

from __future__ import annotations

from trialrun.diagnostic import Finding, Fix, Related, SymbolicLocation
from trialrun.parser import ParseError
from trialrun.text import Edit

EARLIER = "the earlier one"


def to_finding(parse_error: ParseError, *, fix_title: str = "quote it") -> Finding:
    """The finding for a parse error."""
    fix = None
    if parse_error.replacement is not None:
        fix = Fix(fix_title, (Edit(parse_error.span, parse_error.replacement),), parse_error.safe)
    return Finding(
        parse_error.message,
        SymbolicLocation(None, parse_error.path or ()),
        at="key" if parse_error.at_key else "place",
        span=parse_error.span,
        related=tuple(Related(EARLIER, span) for span in parse_error.related),
        fix=fix,
    )
