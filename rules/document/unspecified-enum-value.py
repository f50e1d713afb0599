"""Enum value that means "unspecified".

The value whose name ends in `_UNSPECIFIED` means that a field is unset. Written out it looks like a choice but has no
effect; for a required field it is the same as leaving the field out.

Specification: feature-view, DistanceMeasureType: "Should not be set."; channel-config, Enums. ServiceAgentType
documents its own as the default, so there it is only a note.

Good, as IndexConfig:

    embeddingColumn: vector
    distanceMeasureType: DOT_PRODUCT_DISTANCE

Bad, as IndexConfig:

    embeddingColumn: vector
    distanceMeasureType: DISTANCE_MEASURE_TYPE_UNSPECIFIED  # <- has no effect; remove it

Fixed, as IndexConfig:

    embeddingColumn: vector

Bad:

    kind: ChannelConfig
    type: TYPE_UNSPECIFIED  # <- type is required, and TYPE_UNSPECIFIED does not set it; write UPSELL_STRATEGY or
    tone: 0  # <- TONE_UNSPECIFIED has no effect; remove it

Bad:

    kind: FeatureView
    serviceAgentType: SERVICE_AGENT_TYPE_UNSPECIFIED  # <- SERVICE_AGENT_TYPE_UNSPECIFIED is the default; remove it
"""

from trialrun.diagnostic import Fix, Remove, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import UnspecifiedEnumValue

DOCUMENTED_DEFAULT = "SERVICE_AGENT_TYPE_UNSPECIFIED"


@rule(UnspecifiedEnumValue, severity=Severity.ERROR)
def check(misfit: UnspecifiedEnumValue) -> Findings:
    """Flag the value; only where the field is optional can it be removed."""
    if misfit.required:
        choice = " or ".join(value for value in misfit.values if not value.endswith("_UNSPECIFIED"))
        yield misfit.finding(f"{misfit.field} is required, and {misfit.value} does not set it; write {choice}")
        return
    is_default = misfit.value == DOCUMENTED_DEFAULT
    what = "is the default" if is_default else "has no effect"
    yield misfit.finding(
        f"{misfit.value} {what}; remove it",
        severity=Severity.NOTE if is_default else Severity.WARNING,
        fix=Fix(f"remove {misfit.field}", (Remove(misfit.location),), safe=True),
    )
