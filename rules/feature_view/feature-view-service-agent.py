"""View whose service account needs read access to the source.

The service creates the account with the view and returns it in serviceAccountEmail. Until it may read the source table,
every sync of the view fails.

Specification: feature-view, section 2, serviceAccountEmail: "It needs a data-viewer role on the source table so that
the sync can read it."

Good, as FeatureView:

    serviceAgentType: SERVICE_AGENT_TYPE_PROJECT

Bad, as FeatureView:

    serviceAgentType: SERVICE_AGENT_TYPE_FEATURE_VIEW  # <- grant the account of serviceAccountEmail a data-viewer role
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import FeatureView


@rule(FeatureView, severity=Severity.NOTE, on=False)
def check(view: FeatureView) -> Findings:
    """Flag the value."""
    if view.serviceAgentType == "SERVICE_AGENT_TYPE_FEATURE_VIEW":
        yield view.finding(
            "serviceAgentType",
            "the view reads its source with its own service account; "
            "grant the account of serviceAccountEmail a data-viewer role on the source table",
        )
