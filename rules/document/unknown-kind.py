"""Document of a missing or unknown kind.

A document of no known kind is not checked at all. Every reader would silently skip one whose `kind` is misspelled, so a
kind that closely resembles a known one is always an error.

A wrapper around a resource (`featureView`, `featureViews`, `resource`, `spec`), as in request bodies, list responses
and files of other systems, is unwrapped: its content is checked, and the wrapper is reported.

Basis: best practice. The kinds are FeatureView, ChannelConfig and the companion documents Brand, Menu, SessionSchema,
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

    featureView:  # <- "featureView" is a wrapper that no file has; move what is below it to the top
      syncConfig: {cron: 0 3 * * *}
      ragSource: {uri: bq://acme.rag.chunks}

Fixed:

    syncConfig: {cron: 0 3 * * *}
    ragSource: {uri: bq://acme.rag.chunks}

Bad:

    channelConfigs:  # <- "channelConfigs" is a wrapper that no file has
      - type: UPSELL_STRATEGY
    nextPageToken: abc

Bad:

    apiVersion: apps/v1
    kind: Deployment  # <- no kind is called "Deployment"; this document is not checked

Bad:

    team: rides  # <- nothing tells the kind of this document, so it is not checked; add `kind:`
    owner: Ada
"""

from trialrun.diagnostic import Finding, Fix, Lift, Remove, Replace, Severity, SymbolicLocation
from trialrun.lint.engine import UnknownKind
from trialrun.lint.rule import Findings, rule
from trialrun.model.wrapper import Wrapper


@rule(UnknownKind, severity=Severity.ERROR)
def check(stray: UnknownKind) -> Findings:
    """Flag the kind, or the document where it has none."""
    if stray.near:
        fix = Fix(f"use {stray.near}", (Replace(stray.location, stray.near),))
        yield Finding(f'no kind is called "{stray.kind}"; did you mean "{stray.near}"?', stray.location, fix=fix)
        return
    message = "nothing tells the kind of this document, so it is not checked; add `kind:`"
    if stray.kind:
        message = f'no kind is called "{stray.kind}"; this document is not checked'
    yield Finding(message, stray.location, severity=Severity.WARNING)


@rule(Wrapper, severity=Severity.ERROR)
def wrapped(wrapper: Wrapper) -> Findings:
    """Flag the key around resources; a fix lifts what is below it where nothing is lost with it."""
    what = "make each resource a document of its own" if wrapper.holds_several else "move what is below it to the top"
    fix = None
    if wrapper.paths_to_lift:
        removals = (Remove(SymbolicLocation(None, path)) for path in wrapper.paths_to_remove)
        fix = Fix(
            "lift what is below it",
            (*removals, *(Lift(SymbolicLocation(None, path)) for path in wrapper.paths_to_lift)),
        )
    message = f'"{wrapper.path[-1]}" is a wrapper that no file has; {what}'
    yield Finding(message, SymbolicLocation(None, wrapper.path), at="key", severity=Severity.WARNING, fix=fix)
