"""Document of a missing or unknown kind.

A document of no known kind is not checked at all. Every reader would silently skip one whose `kind` is misspelled, so a
kind that closely resembles a known one is always an error.

A wrapper around a resource (`featureView`, `featureViews`, `resource`, `spec`), as in request bodies, list responses
and files of other systems, is unwrapped: its content is checked, and the wrapper is reported.

Files of other programs are passed over, also where they have words of ours: a custom resource of kind FeatureView, a
`kind: Menu` of a web site, a template of Helm. Only a file that was named is reported.

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

    kind: ChanelConfig  # <- unknown kind "ChanelConfig"; did you mean "ChannelConfig"?
    type: AGENT_CUSTOMIZATION

Fixed:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION

Bad:

    featureView:  # <- "featureView" is a wrapper, not part of a resource; move its content to the top
      syncConfig: {cron: 0 3 * * *}
      ragSource: {uri: bq://acme.rag.chunks}

Fixed:

    syncConfig: {cron: 0 3 * * *}
    ragSource: {uri: bq://acme.rag.chunks}

Bad:

    channelConfigs:  # <- "channelConfigs" is a wrapper, not part of a resource
      - type: UPSELL_STRATEGY
    nextPageToken: abc

Bad:

    apiVersion: apps/v1
    kind: Deployment  # <- unknown kind "Deployment"; this document was not checked

Bad:

    kind: Menu  # <- by its fields, this Menu is one of another program; it was not checked
    items: [{label: Home, href: /}]

Bad:

    team: rides  # <- cannot tell what this document is, so it was not checked; add `kind: FeatureView` or
    owner: Ada
"""

from trialrun.diagnostic import Finding, Fix, Lift, Remove, Replace, Severity, SymbolicLocation
from trialrun.lint.diagnostic_sink import to_finding
from trialrun.lint.engine import UnknownKind
from trialrun.lint.rule import Findings, rule
from trialrun.model.kinds import KINDS
from trialrun.model.wrapper import Wrapper
from trialrun.parser import ParseError


@rule(UnknownKind, severity=Severity.ERROR)
def check(stray: UnknownKind) -> Findings:
    """Flag the kind, or the document where it has none."""
    if stray.near:
        fix = Fix(f"use {stray.near}", (Replace(stray.location, stray.near),))
        yield Finding(f'unknown kind "{stray.kind}"; did you mean "{stray.near}"?', stray.location, fix=fix)
        return
    message = (
        "cannot tell what this document is, so it was not checked; add `kind: FeatureView` or `kind: ChannelConfig`"
    )
    if stray.kind in KINDS:
        message = f"by its fields, this {stray.kind} is one of another program; it was not checked"
    elif stray.kind:
        message = f'unknown kind "{stray.kind}"; this document was not checked'
    yield Finding(message, stray.location, severity=Severity.WARNING)


@rule(ParseError, severity=Severity.NOTE)
def check_type(trouble: ParseError) -> Findings:
    """Flag a type of resource that the provider of Terraform does not have."""
    yield to_finding(trouble)._replace(severity=Severity.NOTE)


@rule(Wrapper, severity=Severity.ERROR)
def wrapped(wrapper: Wrapper) -> Findings:
    """Flag the key around resources; a fix lifts what is below it where nothing is lost with it."""
    what = "make each resource its own document" if wrapper.holds_several else "move its content to the top"
    fix = None
    if wrapper.paths_to_lift:
        removals = (Remove(SymbolicLocation(None, path)) for path in wrapper.paths_to_remove)
        fix = Fix(
            "move its content to the top",
            (*removals, *(Lift(SymbolicLocation(None, path)) for path in wrapper.paths_to_lift)),
        )
    message = f'"{wrapper.path[-1]}" is a wrapper, not part of a resource; {what}'
    yield Finding(message, SymbolicLocation(None, wrapper.path), at="key", severity=Severity.WARNING, fix=fix)
