"""Minimum of replicas that is above the maximum.

Defaults count: a minimum of 8 alone is above the default maximum of 6, and a maximum of 1 alone is below the default
minimum of 2. The service refuses such a range.

Specification: feature-view, section 2, OptimizedConfig: "minReplicaCount defaults to 2 when unset. maxReplicaCount
defaults to 6 when unset."

Good, as AutomaticResources:

    minReplicaCount: 6

Good, as AutomaticResources:

    maxReplicaCount: 2

Good, as AutomaticResources:

    minReplicaCount: 1000
    maxReplicaCount: 1000

Good, as AutomaticResources:

    minReplicaCount: 8
    maxReplicaCount: 2000

Good, as AutomaticResources:

    minReplicaCount: 8
    maxReplicaCont: 12

Bad, as AutomaticResources:

    minReplicaCount: 8  # <- the minimum, 8, is above the maximum, 4
    maxReplicaCount: 4

Bad, as AutomaticResources:

    minReplicaCount: 8  # <- the minimum, 8, is above the maximum, 6 when unset

Bad, as AutomaticResources:

    maxReplicaCount: 1  # <- the maximum, 1, is below the minimum, 2 when unset
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import AutomaticResources

COUNTS = ("minReplicaCount", "maxReplicaCount")


@rule(AutomaticResources, severity=Severity.ERROR)
def check(resources: AutomaticResources) -> Findings:
    """Flag the minimum, or the maximum where it alone is set; a count that was refused is reported elsewhere."""
    fewest, most = resources.min_replicas, resources.max_replicas
    if fewest <= most or any(resources.has(name) and getattr(resources, name) is None for name in COUNTS):
        return
    if not resources.has("minReplicaCount"):
        message = f"the maximum, {most}, is below the minimum, {fewest} when unset; set minReplicaCount as well"
        yield resources.finding("maxReplicaCount", message)
    elif not resources.has("maxReplicaCount"):
        message = f"the minimum, {fewest}, is above the maximum, {most} when unset; set maxReplicaCount as well"
        yield resources.finding("minReplicaCount", message)
    else:
        yield resources.finding(
            "minReplicaCount",
            f"the minimum, {fewest}, is above the maximum, {most}; lower it, or raise the maximum",
            related=(Related("the maximum", resources.location("maxReplicaCount")),),
        )
