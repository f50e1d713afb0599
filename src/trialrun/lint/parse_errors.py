"""Converts parse errors to findings: the parser provides the message, location and fix."""

from __future__ import annotations

from trialrun.diagnostic import Finding, Fix, Related, SymbolicLocation
from trialrun.parser import ParseError
from trialrun.parser.warnings import shorten
from trialrun.text import Edit

EARLIER = "the earlier one"


def to_finding(parse_error: ParseError) -> Finding:
    """The finding for a parse error."""
    fix, new = None, parse_error.replacement
    if new is not None:
        verb = "quote it:" if "quote it" in parse_error.message else "write"
        title = "write one merge key" if parse_error.replaced else f"{verb} {shorten(new)}"
        fix = Fix(title, (Edit(parse_error.replaced or parse_error.span, new),), parse_error.safe)
    return Finding(
        parse_error.message,
        SymbolicLocation(None, parse_error.path or ()),
        at="key" if parse_error.at_key else "place",
        span=parse_error.span,
        related=tuple(Related(EARLIER, span) for span in parse_error.related),
        fix=fix,
    )
