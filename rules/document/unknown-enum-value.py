"""Enum value that does not exist.

Strict readers refuse a value that the enum does not have; others treat it as unset: a tone of `Friendly` is then no
tone at all. Values are case-sensitive.

Specification: feature-view, DistanceMeasureType and ServiceAgentType; channel-config, Enums: the tables list all
values.

Good:

    kind: ChannelConfig
    type: UPSELL_STRATEGY
    tone: FRIENDLY

Bad:

    kind: ChannelConfig
    type: upsell_strategy  # <- type has no value "upsell_strategy"; did you mean UPSELL_STRATEGY?
    tone: Professional  # <- tone has no value "Professional"; did you mean PROFESSIONAL_AND_FORMAL?

Fixed:

    kind: ChannelConfig
    type: UPSELL_STRATEGY
    tone: PROFESSIONAL_AND_FORMAL

Bad, as IndexConfig:

    embeddingColumn: vector
    distanceMeasureType: MANHATTAN  # <- write SQUARED_L2_DISTANCE, COSINE_DISTANCE or DOT_PRODUCT_DISTANCE

Bad, as IndexConfig:

    embeddingColumn: vector
    distanceMeasureType: 9  # <- distanceMeasureType has no value 9
"""

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import UnknownEnumValue


@rule(UnknownEnumValue, severity=Severity.ERROR)
def check(misfit: UnknownEnumValue) -> Findings:
    """Flag the value, and suggest the most similar one, or list all."""
    written = f'"{misfit.value}"' if isinstance(misfit.value, str) else str(misfit.value)
    if misfit.candidate:
        message = f"{misfit.field} has no value {written}; did you mean {misfit.candidate}?"
        fix = Fix(f"use {misfit.candidate}", (Replace(misfit.location, misfit.candidate),))
        yield misfit.finding(message, fix=fix)
        return
    values = [value for value in misfit.values if not value.endswith("_UNSPECIFIED")]
    choice = " or ".join([", ".join(values[:-1]), values[-1]] if len(values) > 1 else values)
    yield misfit.finding(f"{misfit.field} has no value {written}; write {choice}")
