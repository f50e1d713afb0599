"""Suppression that names a rule that does not exist.

A name that no rule has silences nothing, and neither does a comment without names: there is no way to silence
everything, since that would hide future mistakes. The other names of the comment still apply.

Basis: best practice; `trialrun rules` lists the names. In the settings and on the command line an unknown rule is a
usage error.

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
      cron: "*/7 * * * *"  # trialrun: ignore[cron-unevenstep]  # <- did you mean cron-uneven-step?

Fixed:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    syncConfig:
      cron: "*/7 * * * *"  # trialrun: ignore[cron-uneven-step]

Bad:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    syncConfig:
      cron: "*/7 * * * *"  # trialrun: disable[cron-uneven-step]  # <- this suppresses nothing; write trialrun: ignore

Fixed:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    syncConfig:
      cron: "*/7 * * * *"  # trialrun: ignore[cron-uneven-step]

Bad:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    # trialrun: ignore  # <- names no rule, so nothing is suppressed; write ignore[rule-id]
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    # trialrun: ignore[everything]  # <- unknown rule "everything"; `trialrun rules` lists all
    syncConfig: {cron: 0 3 * * *}
"""

from trialrun.diagnostic import ResolvedFix, Severity, TextEdit
from trialrun.lint.rule import rule
from trialrun.lint.suppression.suppression import SuppressionFinding, SuppressionFindings, UnknownRuleName


@rule(UnknownRuleName, severity=Severity.WARNING)
def check(unnamed: UnknownRuleName) -> SuppressionFindings:
    """Flag the name, or the word or the comment where there is none."""
    if unnamed.replacement:
        yield _replaced(
            f"this suppresses nothing; write trialrun{unnamed.replacement}[rule-id]", unnamed, unnamed.replacement
        )
    elif unnamed.name is None:
        yield SuppressionFinding(
            "the comment names no rule, so nothing is suppressed; write ignore[rule-id]", unnamed.range
        )
    elif unnamed.candidate is None:
        yield SuppressionFinding(f'unknown rule "{unnamed.name}"; `trialrun rules` lists all', unnamed.range)
    else:
        message = f'unknown rule "{unnamed.name}"; did you mean {unnamed.candidate}?'
        yield _replaced(message, unnamed, unnamed.candidate)


def _replaced(message: str, unnamed: UnknownRuleName, text: str) -> SuppressionFinding:
    fix = ResolvedFix(f"write {text.removeprefix(': ')}", False, (TextEdit(unnamed.range, text),))
    return SuppressionFinding(message, unnamed.range, fix)
