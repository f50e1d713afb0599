"""Troubles of the reading as findings: the parser already knows the message, the place and the fix."""

from __future__ import annotations

from trialrun.diagnostic import Finding, Fix, Related, SymbolicLocation
from trialrun.parser import ParseError
from trialrun.text import Edit

EARLIER = "the earlier one"


def to_finding(trouble: ParseError, *, fix_title: str = "quote it") -> Finding:
    """The finding of an error, at the characters that the reader names."""
    fix = None
    if trouble.replacement is not None:
        fix = Fix(fix_title, (Edit(trouble.span, trouble.replacement),), trouble.safe)
    return Finding(
        trouble.message,
        SymbolicLocation(None, trouble.path or ()),
        at="key" if trouble.at_key else "place",
        span=trouble.span,
        related=tuple(Related(EARLIER, span) for span in trouble.related),
        fix=fix,
    )
