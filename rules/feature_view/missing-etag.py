"""View without an etag.

With an etag, an update is refused if somebody else has changed the view in the meantime. Without it the update
overwrites that change without warning.

Specification: feature-view, section 2, FeatureView, etag: "Used for consistent read-modify-write updates. When unset,
an update is a blind overwrite."

Good, as FeatureView:

    etag: AMEw9yPq3f8k

Good, as FeatureView:

    etag: 17

Bad, as FeatureView:

    labels: {team: search}  # <- no etag, so an update is a blind overwrite

Bad, as FeatureView:

    labels: {team: search}
    etag: ""  # <- the etag is empty
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import FeatureView


@rule(FeatureView, severity=Severity.NOTE, on=False, absence=True)
def check(view: FeatureView) -> Findings:
    """Flag a view without an etag, or with an empty one."""
    if view.etag == "":
        yield view.finding(
            "etag", "the etag is empty, so an update is a blind overwrite; write the etag that get returns"
        )
    elif not view.has("etag"):
        yield view.finding(None, "no etag, so an update is a blind overwrite; write the etag that get returns")
