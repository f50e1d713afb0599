"""Two documents of one kind never have the same name.

A name is how a resource is found: of two documents with one name, the one that is applied last replaces the other
without a word, and which one that is depends on the order of the files.

Specification: feature-view, section 2, FeatureView, and channel-config, section 2, ChannelConfig: name is the
identifier of the resource.

Good:

    kind: FeatureView
    name: projects/acme/locations/us-central1/featureOnlineStores/store/featureViews/users
    ---
    kind: FeatureView
    name: projects/acme/locations/us-central1/featureOnlineStores/other/featureViews/users
    ---
    kind: Brand
    name: acme
    ---
    kind: Menu
    name: acme
    brand: acme

Bad:

    kind: FeatureView
    name: projects/acme/locations/us-central1/featureOnlineStores/store/featureViews/users
    labels: {team: search}
    ---
    kind: FeatureView
    name: projects/acme/locations/us-central1/featureOnlineStores/store/featureViews/users
    # line 6 <- is already taken by the FeatureView in this file

Bad:

    - {kind: Brand, name: acme}
    - {kind: Brand, name: acme}  # <- "acme" is already taken by the Brand in this file
    - {kind: Brand, name: acme}  # <- "acme" is already taken by the Brand in this file
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import Place, Severity
from trialrun.lint.across import Clash, Clashes, Facts, whereabouts
from trialrun.lint.report import Fact
from trialrun.lint.rule import gather, rule
from trialrun.model.kinds import KINDS

if TYPE_CHECKING:
    from trialrun.model.node import Resource


@gather(*KINDS, keys=(1,))
def names(resource: Resource) -> Iterator[tuple[Place, list[str]]]:
    """The kind and the name of a document that has one."""
    name: str | None = getattr(resource, "name", None)
    if name:
        yield resource.at("name"), [type(resource).__name__, name]


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> Clashes:
    """Flag each name that an earlier document of the kind has."""
    first: dict[tuple[str, str], Fact] = {}
    for fact in facts:
        kind, name = fact.value
        earlier = first.setdefault((kind, name), fact)
        if earlier is not fact:
            yield Clash(
                fact,
                f'the name "{name}" is already taken by the {kind} in {whereabouts(earlier, fact)}; give each its own',
                related=(("taken here", earlier),),
            )
