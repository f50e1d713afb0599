"""Document that exceeds a limit on depth, size or repetition.

A few lines of aliases can expand to more data than fits into memory, and many readers cannot handle brackets nested a
hundred deep. Such a document is refused early, in little time and memory, and the rest of the file is checked.

Basis: best practice; 16 MiB per file, 100 levels, and a million values per document with every alias written out.

Good:

    kind: FeatureView
    labels: &team {team: rides}
    syncConfig: {cron: 0 3 * * *}

Bad:

    kind: FeatureView
    labels: &loop {itself: *loop}  # <- an alias inside the value that it names

Bad:

    kind: FeatureView
    a: &a [x, x, x, x, x, x, x, x, x, x]
    b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
    c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
    d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
    e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]
    f: [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]  # line 8 <- aliases that expand to more than 1,000,000 values
"""

from trialrun.diagnostic import Severity
from trialrun.lint.diagnostic_sink import to_finding
from trialrun.lint.rule import Findings, rule
from trialrun.parser import ParseError


@rule(ParseError, severity=Severity.ERROR)
def check(trouble: ParseError) -> Findings:
    """Flag the place at which a limit was reached."""
    yield to_finding(trouble)
