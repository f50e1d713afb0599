"""Key that appears twice in one mapping.

Most readers silently keep the last value of a duplicate key, so the setting that somebody reads first is not the one in
effect. The camelCase and the snake_case spelling of a field are one key.

Basis: YAML 1.2, section 3.2.1.1, and the JSON form of protocol buffers, where both spellings name one field.

Good:

    - &base
      kind: FeatureView
      labels: {team: rides}
    - <<: *base
      labels: {team: payments}

Bad:

    kind: FeatureView
    labels: {team: rides}
    syncConfig: {cron: 0 3 * * *}
    labels: {team: payments}  # <- duplicate key "labels"; remove one of the two

Bad, as SyncConfig:

    cron: 0 3 * * *
    "cron": 0 4 * * *  # <- duplicate key "cron"

Bad, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns: [id]
    entity_id_columns: [rider]  # <- "entity_id_columns" is another spelling of "entityIdColumns"; remove one of the two

Bad, as FeatureRegistrySource:

    featureGroups:
      - featureGroupId: riders
        featureIds: [age]
        featureGroupId: drivers  # <- duplicate key "featureGroupId"; begin another item with it, or remove one
        featureIds: [rating]

Bad, named view.json:

    {
      "kind": "FeatureView",
      "labels": {"team": "rides", "team": "payments"}
    }
    # line 3 <- duplicate key "team"
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.diagnostic_sink import to_finding
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import TwoSpellings
from trialrun.parser import ParseError


@rule(ParseError, severity=Severity.ERROR)
def check(trouble: ParseError) -> Findings:
    """Flag the later of two equal keys."""
    yield to_finding(trouble)


@rule(TwoSpellings, severity=Severity.ERROR)
def check_spellings(misfit: TwoSpellings) -> Findings:
    """Flag the later of two spellings of one field."""
    yield misfit.finding(
        f'"{misfit.path[-1]}" is another spelling of "{misfit.earlier_path[-1]}"; remove one of the two',
        at="key",
        related=(Related("the other spelling", misfit.earlier_location, at="key"),),
    )
