"""Number outside the range of its field.

The service refuses a priority of 0, a frequency of 20 for 20 % or 1001 replicas, or silently clamps it.

Specification: feature-view, Limits: "allowed maximum 1000"; channel-config, UpsellConfig: "Range [1, infinity)", and
OfferMessage: "Fraction of sessions using this message (0.2 means 20%)".

Good, as OfferMessage:

    messageFrequency: 0.2
    upsoldItems: [Fries]
    messageConfigs: [{languageCode: en, messageText: Fries?}]

Bad, as OfferMessage:

    messageFrequency: 20  # <- messageFrequency takes a number from 0 to 1, not 20; write 0.2 for 20%
    upsoldItems: [Fries]
    messageConfigs: [{languageCode: en, messageText: Fries?}]

Fixed, as OfferMessage:

    messageFrequency: 0.2
    upsoldItems: [Fries]
    messageConfigs: [{languageCode: en, messageText: Fries?}]

Bad, as AutomaticResources:

    minReplicaCount: 0  # <- minReplicaCount takes a number from 1 to 1000, not 0
    maxReplicaCount: 1001  # <- maxReplicaCount takes a number from 1 to 1000, not 1001

Bad, as UpsellStrategy:

    maxUpsellOffers: -1  # <- maxUpsellOffers takes a number of 0 or more, not -1
    upsells:
      - priority: 0  # <- priority takes a number of 1 or more, not 0
        celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}

Bad, as RagSource:

    uri: bq://acme.rag.chunks
    ragCorpusId: "0"  # <- ragCorpusId takes a number of 1 or more, not 0
"""

from decimal import Decimal

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import OutOfRange

LONGEST_SHOWN = 10**40


@rule(OutOfRange, severity=Severity.ERROR)
def check(misfit: OutOfRange) -> Findings:
    """Flag the number with the bounds of its field."""
    value = misfit.value
    written = "a longer one" if isinstance(value, int) and abs(value) >= LONGEST_SHOWN else str(value)
    share = _share(misfit)
    advice = f"write {share} for {written}%" if share is not None else "write one that fits"
    fix = Fix(f"write {share}", (Replace(misfit.location, share),)) if share is not None else None
    yield misfit.finding(f"{misfit.field} takes {_range(misfit)}, not {written}; {advice}", fix=fix)


def _share(misfit: OutOfRange) -> float | None:
    """The share that a percentage is, where the field takes shares of 1; 1.5 is more likely a slip than 1.5%."""
    is_number = isinstance(misfit.value, int | float)
    if (misfit.minimum, misfit.maximum) != (0, 1) or not is_number or not 2 <= float(misfit.value) <= 100:
        return None
    return float(Decimal(str(misfit.value)) / 100)


def _range(misfit: OutOfRange) -> str:
    least, most = misfit.minimum, misfit.maximum
    if most is None:
        return "a finite number" if least is None else f"a number of {least} or more"
    return f"a number of {most} or less" if least is None else f"a number from {least} to {most}"
