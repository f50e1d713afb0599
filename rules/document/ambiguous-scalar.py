r"""Unquoted value that other YAML readers take for another type, or a line break or a comment that nobody sees.

YAML 1.1 readers, which are still the most common, take `no` for false, `012` for ten, `12:30` for 750 and an unquoted
timestamp for a date. The value that arrives is then not the one in the file: a language code of `no` becomes the
boolean false. Times in a Scenario need no quotes: only trialrun reads it.

U+0085, U+2028 and U+2029, which come from a copied text and which nobody sees, are characters of YAML 1.2 and line
breaks of YAML 1.1: some readers refuse a file that has one in a value, a key or a comment, others read another text.
What four readers make of each is in `trialrun docs other-programs`.

A space before a `#` ends an unquoted text: of `Combo #1` only `Combo` arrives. A `#` before a number is reported behind
words as in the name of a dish, where comments rarely begin so.

Basis: YAML 1.2, sections 5.4, 6.6 and 10.3, compared with YAML 1.1; quotes make the type explicit.

Good, as MessageConfig:

    languageCode: "no"
    messageText: Takk

Good:

    kind: FeatureView
    labels: {team: rides, answer: "yes", version: "1_000", since: "2026-01-02"}

Good:

    kind: Scenario
    name: Guests are synced at three
    clock: 2026-01-02T00:00:00Z
    steps:
      - schedule: {view: guests, expect: {runs: [2026-01-02T03:00:00Z]}}

Bad, as MessageConfig:

    languageCode: no  # <- no is false to YAML 1.1 readers, not the language Norwegian; write "no"
    messageText: Takk

Fixed, as MessageConfig:

    languageCode: "no"
    messageText: Takk

Bad:

    kind: FeatureView
    labels:
      answer: yes  # <- yes is text here and true to YAML 1.1 readers; write "yes"
      version: 1_000  # <- 1_000 is text here and a number to YAML 1.1 readers
      opening: 12:30  # <- 12:30 is text here and a number in base 60 to YAML 1.1 readers
      since: 2026-01-02  # <- 2026-01-02 is text here and a date to YAML 1.1 readers

Fixed:

    kind: FeatureView
    labels:
      answer: "yes"
      version: "1_000"
      opening: "12:30"
      since: "2026-01-02"

Bad:

    kind: Scenario
    name: Text that looks like another type is reported, too
    clock: 2026-01-02T00:00:00Z
    steps:
      - write: {view: guests, id: g1, values: {speaks: no}}  # <- no is text here and false to YAML 1.1 readers

Bad, as OfferMessage:

    messageFrequency: 5e-05  # <- 5e-05 is the number 5e-05 here and text to YAML 1.1 readers; write 5.0e-05
    upsoldItems: [Fries]

Fixed, as OfferMessage:

    messageFrequency: 5.0e-05
    upsoldItems: [Fries]

Bad, escaped:

    kind: ChannelConfig\ndisplayName: Lunch\xe2\x80\xa8menu\n# line 2 <- U+2028 is a line break to YAML 1.1 readers

Bad, escaped:

    kind: ChannelConfig\ndisplayName: Combo #1\n# line 2 <- #1 is a comment, so the text is "Combo"; quote all of it

Bad, as IndexConfig:

    embeddingColumn: vector
    embeddingDimension: 0100  # <- 0100 is the number 100 here and the octal number 64 to YAML 1.1 readers; write 100

Fixed, as IndexConfig:

    embeddingColumn: vector
    embeddingDimension: 100
"""

from trialrun.diagnostic import Severity
from trialrun.lint.diagnostic_sink import to_finding
from trialrun.lint.rule import Findings, rule
from trialrun.parser import ParseError


@rule(ParseError, severity=Severity.WARNING)
def check(trouble: ParseError) -> Findings:
    """Flag the plain scalar, and say what other readers take it for."""
    yield to_finding(trouble)
