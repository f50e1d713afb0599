"""Setting that needs an optimized store, on a view of another store.

A view under a FeatureOnlineStore of type KEY_VALUE has no replicas to scale and no index to search: optimizedConfig and
an index config have no effect there. The type is that of a FeatureOnlineStore document of the workspace, whose name is
a resource name or its last id; if two match, the one with the full name counts.

Specification: feature-view, FeatureView, optimizedConfig: "For views under an Optimized FeatureOnlineStore."

Good:

    - kind: FeatureOnlineStore
      name: projects/p/locations/l/featureOnlineStores/vectors
      type: OPTIMIZED
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/vectors/featureViews/menu
      indexConfig: {embeddingColumn: embedding}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/elsewhere/featureViews/menu
      optimizedConfig: {}

Bad:

    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/serving/featureViews/menu
      indexConfig: {embeddingColumn: embedding}  # <- the store "serving" is of type KEY_VALUE
      optimizedConfig:  # <- optimizedConfig is for views of optimized stores
        automaticResources: {maxReplicaCount: 4}
    - kind: FeatureOnlineStore
      name: serving
      type: KEY_VALUE
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lint.rule import gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureOnlineStore
    from trialrun.model.feature_view import FeatureView

STORE, VIEW = "store", "view"
OF_OPTIMIZED_STORES = ("indexConfig", "vectorSearchConfig", "optimizedConfig")


@gather("FeatureOnlineStore", keys=(1,))
def stores(store: FeatureOnlineStore) -> Iterator[tuple[SymbolicLocation, list[str]]]:
    """The name of a store and its type."""
    if store.name and store.type:
        yield store.location("type"), [STORE, store.name, store.type]


@gather("FeatureView")
def views(view: FeatureView) -> Iterator[tuple[SymbolicLocation, list[str | None]]]:
    """The store of a view, which is no other view's concern, with each field that asks for an optimized one."""
    store, separator, _ = (view.name or "").rpartition("/featureViews/")
    for field in OF_OPTIMIZED_STORES if separator and store else ():
        if getattr(view, field) is not None:
            yield view.location(field), [VIEW, None, store, field]


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each such field under a store that is declared as KEY_VALUE, and never as another type."""
    from trialrun.lint.rule_support.references import DeclarationIndex
    from trialrun.values.resource_name import last_id

    declared = DeclarationIndex((fact.value[1], fact) for fact in facts if fact.value[0] == STORE)
    for fact in facts:
        if fact.value[0] != VIEW:
            continue
        _, _, store, field = fact.value
        of_store = declared.find(store)
        if of_store and all(one.value[2] == "KEY_VALUE" for one in of_store):
            yield WorkspaceFinding(
                fact,
                f'{field} is for views of optimized stores, and the store "{last_id(store)}" is of type KEY_VALUE; '
                "remove it, or move the view",
                related=(("declared here", of_store[0]),),
            )
