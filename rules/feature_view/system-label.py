"""Label that only the service may set.

Labels under the system prefix are immutable: a file that contains one, usually because it was exported from the
service, is refused or has no effect. The prefix is the setting `system-label-prefix`; without it a slash in a key is an
`invalid-label`.

Specification: feature-view, section 8, Limits, system label keys: "prefixed with <system_label_prefix>/; immutable".

Good, as FeatureView, with system-label-prefix = acme.example:

    labels: {acme: search}

Bad, as FeatureView, with system-label-prefix = acme.example:

    labels:
      team: search
      acme.example/Created-By: console  # <- "acme.example/" marks a label of the service

Fixed, as FeatureView:

    labels:
      team: search
"""

from trialrun.diagnostic import Fix, Remove, Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.model.feature_view import FeatureView
from trialrun.model.node import valid_keys
from trialrun.values.label import check as problems_of


@rule(FeatureView, severity=Severity.WARNING, options={"system-label-prefix": None})
def check(view: FeatureView, context: Context) -> Findings:
    """Flag each key under the prefix of the settings."""
    prefix = (context.options["system-label-prefix"] or "").rstrip("/")
    if not prefix:
        return
    for key in valid_keys({} if view.labels is None else view.labels):
        place = view.location("labels", key)
        for problem in problems_of(key, what="key", system_prefix=prefix):
            if problem.code == "system":
                yield view.finding(place.path, problem.message, at="key", fix=Fix("remove it", (Remove(place),)))
