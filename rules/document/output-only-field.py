"""Field that only the service sets.

The service ignores an output-only field in a file, so editing it has no effect. Times and states copied from an export
are also out of date after the next update. The fix is safe, except for the createTime of a view with a schedule: the
results of a dry run at an earlier time depend on it.

Specification: feature-view and channel-config, section 2: the fields whose mode is "output only".

Good:

    kind: FeatureView
    etag: abc

Bad:

    kind: FeatureView
    createTime: "2026-03-01T09:30:00Z"  # <- createTime is set by the service; remove it
    kvStoreMetadata:  # <- kvStoreMetadata is set by the service; remove it
      readAppProfile: serving
    satisfiesPzs: true  # <- satisfiesPzs is set by the service; remove it
    etag: abc

Fixed:

    kind: FeatureView
    etag: abc

Bad:

    kind: FeatureView
    syncConfig: {cron: 0 3 * * *}
    createTime: "2026-03-01T09:30:00Z"  # <- createTime is set by the service; remove it

Bad:

    kind: ChannelConfig
    state: ACTIVE  # <- state is set by the service; remove it
    type: AGENT_CUSTOMIZATION
    configApplicationRules: []  # <- configApplicationRules is set by the service; remove it

Bad:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION
    tone: FRIENDLY
    state: STATE_UNSPECIFIED  # <- state is set by the service; remove it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Fix, Remove, Severity
from trialrun.lint.diagnostic_sink import to_finding
from trialrun.lint.rule import Findings, rule
from trialrun.model.node import fields_of_mode
from trialrun.parser import ParseError

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.feature_view import FeatureView


@rule("FeatureView", "ChannelConfig", severity=Severity.WARNING)
def check(resource: FeatureView | ChannelConfig) -> Findings:
    """Flag the key of each field that only the service sets, whatever its value."""
    for name in sorted(fields_of_mode(type(resource), "output only") & resource.model_fields_set):
        fix = Fix(f"remove {name}", (Remove(resource.location(name)),), safe=not _bounds_runs(resource, name))
        yield resource.finding(name, f"{name} is set by the service; remove it", at="key", fix=fix)


@rule(ParseError, severity=Severity.WARNING)
def check_argument(trouble: ParseError) -> Findings:
    """Flag an argument that the provider of Terraform sets."""
    yield to_finding(trouble)


def _bounds_runs(resource: FeatureView | ChannelConfig, name: str) -> bool:
    """Whether a dry run uses the field: a schedule has no runs before `createTime`."""
    return name == "createTime" and bool(getattr(getattr(resource, "syncConfig", None), "cron", None))
