"""Number outside the range of its field.

The service refuses a priority of 0, a frequency of 20 for 20 % or 1001 replicas, or silently clamps it.

Specification: feature-view, Limits: "allowed maximum 1000"; channel-config, UpsellConfig: "Range [1, infinity)", and
OfferMessage: "Fraction of sessions using this message (0.2 means 20%)".

Good, as OfferMessage:

    messageFrequency: 0.2
    upsoldItems: [Fries]
    messageConfigs: [{languageCode: en, messageText: Fries?}]

Bad, as OfferMessage:

    messageFrequency: 20  # <- messageFrequency is out of range: 20; write 0.2 for 20%
    upsoldItems: [Fries]
    messageConfigs: [{languageCode: en, messageText: Fries?}]

Fixed, as OfferMessage:

    messageFrequency: 0.2
    upsoldItems: [Fries]
    messageConfigs: [{languageCode: en, messageText: Fries?}]

Bad, as AutomaticResources:

    minReplicaCount: 0  # <- minReplicaCount is out of range: 0
    maxReplicaCount: 1001  # <- maxReplicaCount is out of range: 1001

Good, as IndexConfig:

    embeddingColumn: vector
    embeddingDimension: 2147483648

Bad, as UpsellStrategy:

    maxUpsellOffers: -1  # <- maxUpsellOffers is out of range: -1
    upsells:
      - priority: 0  # <- priority is out of range: 0
        celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}

Bad, as RagSource:

    uri: bq://acme.rag.chunks
    ragCorpusId: "0"  # <- ragCorpusId is out of range: 0
"""

from decimal import Decimal

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import OutOfRange

LONGEST_SHOWN = 40


@rule(OutOfRange, severity=Severity.ERROR)
def check(misfit: OutOfRange) -> Findings:
    """Flag the number, with the range of its field."""
    value = misfit.value
    written = str(value) if misfit.spelling is None else misfit.spelling
    written = written if len(written) <= LONGEST_SHOWN else "a longer number"
    share = _share(misfit)
    advice = f"write {share} for {misfit.value}%" if share is not None else f"use {_range(misfit)}"
    fix = Fix(f"write {share}", (Replace(misfit.location, share),)) if share is not None else None
    yield misfit.finding(f"{misfit.field} is out of range: {written}; {advice}", fix=fix)


def _share(misfit: OutOfRange) -> float | None:
    """The fraction of a percentage, if the field takes values from 0 to 1; 1.5 is more likely a typo than 1.5%."""
    is_number = isinstance(misfit.value, int | float)
    if (misfit.minimum, misfit.maximum) != (0, 1) or not is_number or not 2 <= float(misfit.value) <= 100:
        return None
    return float(Decimal(str(misfit.value)) / 100)


def _range(misfit: OutOfRange) -> str:
    minimum, maximum = misfit.minimum, misfit.maximum
    if (minimum, maximum) == (0, 1):
        return "a value from 0 to 1 (20 % is 0.2)"
    if maximum is None:
        return "a finite number" if minimum is None else f"a value of {minimum} or more"
    return f"a value of {maximum} or less" if minimum is None else f"a value from {minimum} to {maximum}"
