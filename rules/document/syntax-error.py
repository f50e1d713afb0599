r"""File that is not valid YAML or JSON.

No service can load a file that does not parse. The message says the likely cause; the other documents of the file, and
the valid parts of the broken one, are still checked.

Basis: YAML 1.2 and RFC 8259.

Good, as SyncConfig:

    cron: "*/5 * * * *"

Bad:

    kind: FeatureView
    syncConfig:
      cron: */5 * * * *  # <- begins with *, which names an anchor; quote it

Fixed:

    kind: FeatureView
    syncConfig:
      cron: "*/5 * * * *"

Bad:

    kind: FeatureView
    syncConfig:
      cron: @daily  # <- begins with @, which is reserved in YAML

Fixed:

    kind: FeatureView
    syncConfig:
      cron: "@daily"

Bad:

    kind: ChannelConfig
    supplementalInstructions:
      freeformInstructions: Note: be brief  # <- has a colon followed by a space; quote it

Fixed:

    kind: ChannelConfig
    supplementalInstructions:
      freeformInstructions: "Note: be brief"

Bad, escaped:

    kind: FeatureView\nsyncConfig:\n\tcron: 0 3 * * *\n# line 3 <- a tab indents this line; use spaces

Bad:

    kind: FeatureView
    warehouseSource:
      uri: "bq://acme.serving.riders  # <- is not closed; close it
      entityIdColumns: [id]
    ---
    kind: FeatureView
    warehouseSource: {uri: [bq://x, entityIdColumns: id}  # <- expected ',' or ']'

Bad, named view.json:

    {
      "kind": "FeatureView",
      "syncConfig": {"cron": "0 3 * * *",}
    }
    # line 3 <- comma
"""

from trialrun.diagnostic import Severity
from trialrun.lint.diagnostic_sink import to_finding
from trialrun.lint.rule import Findings, rule
from trialrun.parser import ParseError


@rule(ParseError, severity=Severity.ERROR)
def check(trouble: ParseError) -> Findings:
    """Flag the characters at which the reading stopped, and say the likely cause."""
    yield to_finding(trouble)
