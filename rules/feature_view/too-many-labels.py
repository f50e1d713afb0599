"""View with more than 64 user labels.

The service refuses the view because of the 65th; one whose key or value is invalid counts as well. Labels under the
prefix of the setting `system-label-prefix` belong to the service and do not count.

Specification: feature-view, section 8, Limits, user labels per resource: "at most 64 (system labels are excluded)".

Good, as FeatureView:

    labels: {
      a1: "", a2: "", a3: "", a4: "", a5: "", a6: "", a7: "", a8: "", b1: "", b2: "", b3: "", b4: "", b5: "", b6: "",
      b7: "", b8: "", c1: "", c2: "", c3: "", c4: "", c5: "", c6: "", c7: "", c8: "", d1: "", d2: "", d3: "", d4: "",
      d5: "", d6: "", d7: "", d8: "", e1: "", e2: "", e3: "", e4: "", e5: "", e6: "", e7: "", e8: "", f1: "", f2: "",
      f3: "", f4: "", f5: "", f6: "", f7: "", f8: "", g1: "", g2: "", g3: "", g4: "", g5: "", g6: "", g7: "", g8: "",
      h1: "", h2: "", h3: "", h4: "", h5: "", h6: "", h7: "", h8: "",
    }

Bad, as FeatureView:

    labels: {  # <- 65 labels, but a view has at most 64
      a1: "", a2: "", a3: "", a4: "", a5: "", a6: "", a7: "", a8: "", b1: "", b2: "", b3: "", b4: "", b5: "", b6: "",
      b7: "", b8: "", c1: "", c2: "", c3: "", c4: "", c5: "", c6: "", c7: "", c8: "", d1: "", d2: "", d3: "", d4: "",
      d5: "", d6: "", d7: "", d8: "", e1: "", e2: "", e3: "", e4: "", e5: "", e6: "", e7: "", e8: "", f1: "", f2: "",
      f3: "", f4: "", f5: "", f6: "", f7: "", f8: "", g1: "", g2: "", g3: "", g4: "", g5: "", g6: "", g7: "", g8: "",
      h1: "", h2: "", h3: "", h4: "", h5: "", h6: "", h7: "", h8: "", one-more: "",
    }

Bad, as FeatureView:

    labels: {  # <- 65 labels, but a view has at most 64
      a1: "", a2: "", a3: "", a4: "", a5: "", a6: "", a7: "", a8: "", b1: "", b2: "", b3: "", b4: "", b5: "", b6: "",
      b7: "", b8: "", c1: "", c2: "", c3: "", c4: "", c5: "", c6: "", c7: "", c8: "", d1: "", d2: "", d3: "", d4: "",
      d5: "", d6: "", d7: "", d8: "", e1: "", e2: "", e3: "", e4: "", e5: "", e6: "", e7: "", e8: "", f1: "", f2: "",
      f3: "", f4: "", f5: "", f6: "", f7: "", f8: "", g1: "", g2: "", g3: "", g4: "", g5: "", g6: "", g7: "", g8: "",
      h1: "", h2: "", h3: "", h4: "", h5: "", h6: "", h7: "", h8: "", no-text: 1,
    }

Good, as FeatureView, with system-label-prefix = acme:

    labels: {
      a1: "", a2: "", a3: "", a4: "", a5: "", a6: "", a7: "", a8: "", b1: "", b2: "", b3: "", b4: "", b5: "", b6: "",
      b7: "", b8: "", c1: "", c2: "", c3: "", c4: "", c5: "", c6: "", c7: "", c8: "", d1: "", d2: "", d3: "", d4: "",
      d5: "", d6: "", d7: "", d8: "", e1: "", e2: "", e3: "", e4: "", e5: "", e6: "", e7: "", e8: "", f1: "", f2: "",
      f3: "", f4: "", f5: "", f6: "", f7: "", f8: "", g1: "", g2: "", g3: "", g4: "", g5: "", g6: "", g7: "", g8: "",
      h1: "", h2: "", h3: "", h4: "", h5: "", h6: "", h7: "", h8: "", acme/managed: "",
    }
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.model.feature_view import MAX_LABELS, FeatureView
from trialrun.model.node import PartialMapping


@rule(FeatureView, severity=Severity.ERROR, options={"system-label-prefix": None})
def check(view: FeatureView, context: Context) -> Findings:
    """Flag the key `labels` when the users' labels are too many."""
    labels = {} if view.labels is None else view.labels
    keys = labels.written if isinstance(labels, PartialMapping) else tuple(labels)
    if len(keys) <= MAX_LABELS:
        return
    prefix = (context.options["system-label-prefix"] or "").rstrip("/")
    count = sum(not (prefix and key.startswith(f"{prefix}/")) for key in keys)
    if count > MAX_LABELS:
        yield view.finding(
            "labels", f"{count} labels, but a view has at most {MAX_LABELS}; remove {count - MAX_LABELS}"
        )
