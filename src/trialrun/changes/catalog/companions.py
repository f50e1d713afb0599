"""Changes of other companion documents: online stores, feature groups, sources, scenarios."""

from __future__ import annotations

from trialrun.changes.change import Level
from trialrun.changes.change_type import ChangeType

BREAKING, RISKY, SAFE = Level.BREAKING, Level.RISKY, Level.SAFE

SERVING = (
    ChangeType(
        "online-store-added",
        SAFE,
        "A FeatureOnlineStore is new.",
        "It serves nothing yet.",
        ("FeatureOnlineStore+",),
        "online-store-removed",
    ),
    ChangeType(
        "online-store-removed",
        BREAKING,
        "A FeatureOnlineStore is gone.",
        "Nothing is served from it.",
        ("FeatureOnlineStore-",),
        "online-store-added",
    ),
    ChangeType(
        "online-store-renamed",
        BREAKING,
        "A FeatureOnlineStore has another name.",
        "Views under the old name are not served.",
        ("FeatureOnlineStore=", "FeatureOnlineStore.name"),
    ),
    ChangeType(
        "online-store-type-changed",
        BREAKING,
        "A FeatureOnlineStore has another type.",
        "Vanished entities, searches and replicas behave in another way.",
        ("FeatureOnlineStore.type", "FeatureOnlineStore.*"),
    ),
    ChangeType(
        "feature-group-table-added",
        SAFE,
        "A feature group is new in the registry.",
        "No view takes features of it yet.",
        ("FeatureGroupTable+",),
        "feature-group-table-removed",
    ),
    ChangeType(
        "feature-group-table-removed",
        BREAKING,
        "A feature group is gone from the registry.",
        "Views that take its features cannot be synced.",
        ("FeatureGroupTable-",),
        "feature-group-table-added",
    ),
    ChangeType(
        "feature-group-table-renamed",
        SAFE,
        "The document of a feature group has another name.",
        "Views refer to the id of the group.",
        ("FeatureGroupTable=", "FeatureGroupTable.name"),
    ),
    ChangeType(
        "feature-group-table-changed",
        BREAKING,
        "A feature group has another id or project.",
        "Views that take its features do not find it.",
        ("FeatureGroupTable.featureGroupId", "FeatureGroupTable.projectNumber", "FeatureGroupTable.*"),
    ),
    ChangeType(
        "timestamp-column-changed",
        RISKY,
        "The feature timestamp comes from another column.",
        "Other rows of an entity are the latest ones.",
        ("FeatureGroupTable.timestampColumn", "Source.timestampColumn"),
    ),
    ChangeType(
        "dense-changed",
        RISKY,
        "A feature group serves nulls of the latest row, or no longer does.",
        "Values of entities with nulls differ.",
        ("FeatureGroupTable.dense",),
    ),
    ChangeType(
        "registered-feature-added",
        SAFE,
        "A feature group has one more feature.",
        "No view takes it yet.",
        ("FeatureGroupTable.features+",),
        "registered-feature-removed",
    ),
    ChangeType(
        "registered-feature-removed",
        BREAKING,
        "A feature group no longer has a feature.",
        "Views that take it cannot be synced.",
        ("FeatureGroupTable.features-", "RegisteredFeature.id"),
        "registered-feature-added",
    ),
    ChangeType(
        "registered-feature-changed",
        RISKY,
        "A feature comes from another column.",
        "Views that take it serve other values.",
        ("RegisteredFeature.column", "RegisteredFeature.*"),
    ),
)
SOURCES = (
    ChangeType("source-added", SAFE, "A Source is new.", "It is for trial runs.", ("Source+",), "source-removed"),
    ChangeType(
        "source-removed",
        SAFE,
        "A Source is gone.",
        "It is for trial runs: nothing that is served depends on it.",
        ("Source-",),
        "source-added",
    ),
    ChangeType(
        "source-renamed",
        SAFE,
        "A Source has another name.",
        "Nothing refers to it by name.",
        ("Source=", "Source.name"),
    ),
    ChangeType(
        "source-changed",
        RISKY,
        "A Source has its rows elsewhere, or is for another uri.",
        "Trial runs read other rows.",
        ("Source.uri", "Source.files", "Source.format", "Source.database", "Source.table", "Source.*"),
    ),
    ChangeType(
        "column-added",
        SAFE,
        "A source has one more column.",
        "Nothing reads it yet.",
        ("Source.columns+",),
        "column-removed",
    ),
    ChangeType(
        "column-removed",
        RISKY,
        "A source no longer has a column.",
        "Views that serve it serve less, or cannot be synced.",
        ("Source.columns-", "Column.name"),
        "column-added",
    ),
    ChangeType(
        "column-type-changed",
        RISKY,
        "A column has another type or mode.",
        "Readers get values of another type.",
        ("Column.type", "Column.mode"),
    ),
)
SCENARIOS = (
    ChangeType("scenario-added", SAFE, "A Scenario is new.", "It is a test.", ("Scenario+",), "scenario-removed"),
    ChangeType("scenario-removed", SAFE, "A Scenario is gone.", "It is a test.", ("Scenario-",), "scenario-added"),
    ChangeType(
        "scenario-renamed", SAFE, "A Scenario has another name.", "It is a test.", ("Scenario=", "Scenario.name")
    ),
    ChangeType("scenario-changed", SAFE, "A Scenario differs.", "It is a test.", ("Scenario.*",)),
)
TYPES = (*SERVING, *SOURCES, *SCENARIOS)
