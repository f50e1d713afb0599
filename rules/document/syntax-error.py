"""A file is YAML or JSON throughout.

What a parser cannot read, no service can load. The other documents of the file, and the sound parts of the broken one,
are still checked.

Rests on: YAML 1.2 and RFC 8259.

Good, as SyncConfig:

    cron: "*/5 * * * *"

Bad:

    kind: FeatureView
    syncConfig:
      cron: */5 * * * *  # <- "*" starts an alias

Fixed:

    kind: FeatureView
    syncConfig:
      cron: "*/5 * * * *"
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.troubles import told
from trialrun.tree import Trouble


@rule(Trouble, severity=Severity.ERROR)
def check(trouble: Trouble) -> Findings:
    """Flag the characters at which the reading stopped, and say the likely cause."""
    yield told(trouble)
