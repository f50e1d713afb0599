"""Lints two samples with usual mistakes, so that what they import and build is there before workers are forked.

Otherwise each worker would do so for its first files: it would import some 80 modules of the parser, of fixes and of
rules about mistakes. Nothing of the workspace that is checked takes part, neither its files nor
its policies, so that this is safe in the process from which workers are forked.
"""

from __future__ import annotations

from datetime import datetime

from trialrun.lint.engine import Linter
from trialrun.lint.rule import SessionTypes
from trialrun.lint.selection import default_selection
from trialrun.values.cel import DEFAULT_SCHEMA

VIEW = """\
# a comment
name: projects/acme/locations/us/featureOnlineStores/main/featureViews/sample
labels: {team: growth, Tier: "1"}
warehouseSource:
  uri: bq://acme.serving.riders  # a comment
  entityIdColumns: [rider_id]
syncConfig:
  cron: CRON_TZ=Europe/Berlin */15 2 * * 1-5
indexConfig:
  embeddingColumn: embedding
  embeddingDimension: 0
  filterColumns:
  - city
  distanceMeasureType: COSINE_DISTANC
  treeAhConfig: {leafNodeEmbeddingCount: "1000"}
optimizedConfig:
  automaticResources: &replicas
    minReplicaCount: "2"
"""
CONFIG = """\
kind: ChannelConfig
name: projects/acme/locations/us/brands/sample/channelConfigs/sample
displayName: 'Sample'
type: UPSELL_STRATEGY
operationsConfig:
  displayname: Sample
  description: >-
    A text of
    two lines.
  defaultLanguageCode: de
  greetings:
  - languageCode: en_US
    greetingPhrases: ["Welcome – what can I get you? \\U0001F44B"]
  upsellStrategy:
    upsells:
    - displayName: A drink
      priority: 1
      skipOnMultiQuantityUpsoldFromItem: true
      celUpsell:
        conditionExpression: order.items.exists(item, item.name == "Fries") && order.subtotal > 10.0
        suggestedMenuItems: [Cola, cola]
        triggerReason: null
    - displayName: A coffee
      priority: 1
      celUpsell:
        conditionExpression: order.subtotal < 3.0 || !has(order.items)
        suggestedMenuItems:
        - Coffee
"""


def lint_samples(now: datetime) -> None:
    """Lint a view and a config with one mistake of each usual kind, by the default rules for single files."""
    session_types = SessionTypes(DEFAULT_SCHEMA, is_declared=False)
    linter = Linter(default_selection().for_declared_kinds(()), now=now, session_types=lambda: session_types)
    for path, text in (("view.yaml", VIEW), ("config.yaml", CONFIG)):
        linter.lint(text.encode(), path)
