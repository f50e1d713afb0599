r"""File that is not valid UTF-8 or UTF-16.

Programs disagree on how to read bytes that are not text; some cut the text off there. NUL and other control characters
come from a faulty copy, and nobody sees them in review. UTF-16 requires a byte order mark.

Basis: YAML 1.2, sections 5.1 and 5.2, and RFC 8259, section 8.1.

Good, escaped:

    kind: ChannelConfig\ndisplayName: Caf\xc3\xa9\n

Good, escaped:

    \xef\xbb\xbfkind: ChannelConfig\ndisplayName: Cafe\n

Bad, escaped:

    kind: ChannelConfig\ndisplayName: Caf\xe9\n# line 2 <- the bytes 0xe9 are not UTF-8; save the file as UTF-8

Bad, escaped:

    kind: ChannelConfig\ndisplayName: Ca\x00fe\n# line 2 <- a NUL character; remove it

Bad, escaped:

    kind: ChannelConfig\ndisplayName: Ca\x07fe\n# line 2 <- the character U+0007 is not printable
"""

from trialrun.diagnostic import Severity
from trialrun.lint.diagnostic_sink import to_finding
from trialrun.lint.rule import Findings, rule
from trialrun.parser import ParseError


@rule(ParseError, severity=Severity.ERROR)
def check(trouble: ParseError) -> Findings:
    """Flag the characters that are not text."""
    yield to_finding(trouble)
