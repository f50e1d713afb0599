"""A document says, by its kind, its name or its fields, what it is.

A document of no known kind is not checked at all. One whose `kind` is misspelt would be passed over in silence by
everything that reads it, which is why a kind that nearly names one of ours is an error wherever it is found.

Rests on: craft. The kinds are FeatureView, ChannelConfig and the companion documents Brand, Menu, SessionSchema,
FeatureOnlineStore, FeatureGroupTable, Source and Scenario.

Good:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION

Good:

    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v

Good:

    syncConfig: {cron: 0 3 * * *}

Bad:

    kind: ChanelConfig  # <- no kind is called "ChanelConfig"; did you mean "ChannelConfig"?
    type: AGENT_CUSTOMIZATION

Fixed:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION

Bad:

    apiVersion: apps/v1
    kind: Deployment  # <- no kind is called "Deployment"; this document is not checked

Bad:

    team: rides  # <- nothing tells the kind of this document, so it is not checked; add `kind:`
    owner: Ada
"""

from trialrun.diagnostic import Finding, Fix, Replace, Severity
from trialrun.lint.engine import Stray
from trialrun.lint.rule import Findings, rule


@rule(Stray, severity=Severity.ERROR)
def check(stray: Stray) -> Findings:
    """Flag the kind, or the document where it has none."""
    if stray.near:
        fix = Fix(f"use {stray.near}", (Replace(stray.place, stray.near),))
        yield Finding(f'no kind is called "{stray.kind}"; did you mean "{stray.near}"?', stray.place, fix=fix)
        return
    message = "nothing tells the kind of this document, so it is not checked; add `kind:`"
    if stray.kind:
        message = f'no kind is called "{stray.kind}"; this document is not checked'
    yield Finding(message, stray.place, severity=Severity.WARNING)
