"""Text that exceeds the maximum length of its field.

Lengths count Unicode code points, not bytes: an é is one, and so is an emoji. The prefix of a system label counts.

Specification: feature-view, Limits: "at most 64 Unicode codepoints"; channel-config, Limits: displayName "at most 63
characters", a customer term "at most 100 characters each".

Good:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION
    displayName: ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé

Bad:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION
    displayName: A strategy for the summer of 2026 in all stores beside the coast  # <- displayName has 64 characters

Bad:

    kind: FeatureView
    labels:
      a-label-key-that-would-have-been-a-sentence-in-the-documentation-x: a  # <- the key has 66 characters, 2 more than
      team: a-label-value-that-would-have-been-a-sentence-in-some-documentation  # <- team has 67 characters, 3 more
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import TooLong


@rule(TooLong, severity=Severity.ERROR)
def check(misfit: TooLong) -> Findings:
    """Flag the text, or the key, with its length."""
    is_item = bool(misfit.path) and isinstance(misfit.path[-1], int)
    what = "the key" if misfit.is_key else f"an item of {misfit.field}" if is_item else misfit.field
    over = misfit.length - misfit.max_length
    yield misfit.finding(
        f"{what} has {misfit.length} characters, {over} more than the {misfit.max_length} allowed; shorten it",
        at="key" if misfit.is_key else "place",
    )
