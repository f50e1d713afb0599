"""Suppression that silences nothing.

It is left over from a mistake that has been fixed, is at the wrong place, or names the wrong rule. It would silence the
next mistake of that kind before anybody sees it. Rules that did not run, and documents that could not be read, do not
make a suppression unused.

Basis: best practice. A comment covers the node on its own line, or on the next line of content if it has a line to
itself; `ignore-file` comes before all content.

Good:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    syncConfig:
      cron: "*/7 * * * *"  # trialrun: ignore[cron-uneven-step] the feed comes every seven minutes

Bad:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    syncConfig:
      # trialrun: ignore[cron-uneven-step] the feed comes  # <- no cron-uneven-step is found here; remove the comment
      cron: "*/5 * * * *"

Fixed:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    syncConfig:
      cron: "*/5 * * * *"

Bad:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    syncConfig:
      cron: "*/7 * * * *"  # trialrun: ignore[cron-uneven-step, cron-rare] every seven minutes
    # line 5 <- no cron-rare is found here; remove it from the comment

Fixed:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    syncConfig:
      cron: "*/7 * * * *"  # trialrun: ignore[cron-uneven-step] every seven minutes

Bad:

    kind: FeatureView
    # trialrun: ignore-file[cron-rare] on demand  # <- ignore-file must be above all content; move it to the top
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    # trialrun: ignore[internal-error]  # <- internal-error cannot be suppressed
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import rule
from trialrun.lint.suppression.suppression import SuppressionFinding, SuppressionFindings, UnusedSuppression


@rule(UnusedSuppression, severity=Severity.WARNING)
def check(unused: UnusedSuppression) -> SuppressionFindings:
    """Flag the name of the rule, or a comment in the wrong place."""
    messages = {
        "nothing": f"no {unused.rule} is found here; {unused.advice}",
        "never": f"{unused.rule} cannot be suppressed; {unused.advice}",
        "twice": f"{unused.rule} is named twice; {unused.advice}",
        "misplaced": "ignore-file must be above all content; move it to the top of the file, or write ignore",
    }
    yield SuppressionFinding(messages[unused.reason], unused.range, unused.fix)
