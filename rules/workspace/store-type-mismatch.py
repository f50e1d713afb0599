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

from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureOnlineStore
    from trialrun.model.feature_view import FeatureView

OF_OPTIMIZED_STORES = ("indexConfig", "vectorSearchConfig", "optimizedConfig")


class DeclaredStore(NamedTuple):
    """The name of a store and its type."""

    name: str
    type: str


class OptimizedField(NamedTuple):
    """The store of a view, which is no other view's concern, and a field that asks for an optimized one."""

    store: str
    field: str


@gather("FeatureOnlineStore", facts=(DeclaredStore,), keys=("name",), context=(DeclaredStore,))
def stores(store: FeatureOnlineStore) -> Gathered[DeclaredStore]:
    """The name of a store and its type."""
    if store.name and store.type:
        yield store.location("type"), DeclaredStore(store.name, store.type)


@gather("FeatureView", facts=(OptimizedField,))
def views(view: FeatureView) -> Gathered[OptimizedField]:
    """The store of a view with each field that asks for an optimized one."""
    store, separator, _ = (view.name or "").rpartition("/featureViews/")
    for field in OF_OPTIMIZED_STORES if separator and store else ():
        if getattr(view, field) is not None:
            yield view.location(field), OptimizedField(store, field)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each such field under a store that is declared as KEY_VALUE, and never as another type."""
    from trialrun.lint.rule_support.references import DeclarationIndex
    from trialrun.values.resource_name import last_id

    declared = DeclarationIndex((fact.value.name, fact) for fact in facts.of(DeclaredStore))
    for fact in facts.of(OptimizedField):
        store, field = fact.value
        of_store = declared.resolve(store)
        if of_store and all(store_fact.value.type == "KEY_VALUE" for store_fact in of_store):
            yield WorkspaceFinding(
                fact,
                f'{field} is for views of optimized stores, and the store "{last_id(store)}" is of type KEY_VALUE; '
                "remove it, or move the view",
                related=(("declared here", of_store[0]),),
            )
