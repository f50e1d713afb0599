"""The companion documents of a workspace: what the two specifications leave out.

They say how configurations are bound to stores, what is on the menu, what the session state looks like, and where the
tables are. `docs/assumptions.md` has the row of each.
"""

from typing import ClassVar, Literal

from trialrun.model.menu import Menu
from trialrun.model.node import Node, PositiveInt64, Resource, field
from trialrun.model.scenario import Column, Scenario


class StoreSelector(Node):
    """Which stores a brand-level binding applies to; tags match when the store has all of them."""

    tags: list[str] | None = field("Tags that a store must all have.", names="tag")
    names: list[str] | None = field("Names of stores.", names="store")


class BrandBinding(Node):
    """A brand-level rule bound to a configuration, for matching stores; without `stores` it matches every store."""

    item_key: ClassVar = ("rule",)

    rule: str | None = field("Name of the config application rule.", mode="required", declares="binding")
    channelConfig: str | None = field("Name of the ChannelConfig.", mode="required", names="config")
    stores: StoreSelector | None = field("The stores that the binding applies to; every store when unset.")


class StoreBinding(Node):
    """A store-level rule bound to a configuration."""

    item_key: ClassVar = ("rule",)

    rule: str | None = field("Name of the config application rule.", mode="required", declares="binding")
    channelConfig: str | None = field("Name of the ChannelConfig.", mode="required", names="config")


class Store(Node):
    """A store of the brand."""

    item_key: ClassVar = ("name", "displayName")

    name: str | None = field("Name of the store.", mode="required", declares="store")
    displayName: str | None = field("Display name of the store.", format="free-text")
    tags: list[str] | None = field("Tags that brand-level bindings match.", declares="tag")
    timeZone: str | None = field("IANA time zone of the store.", format="time-zone")
    defaults: list[str] | None = field(
        "ChannelConfig names, at most one per type: the store-level defaults.", names="config"
    )
    bindings: list[StoreBinding] | None = field("Store-level rules.")


BRAND_NAME_FORMAT = "projects/{project}/locations/{location}/brands/{brand}"
STORE_NAME_FORMAT = "projects/{project}/locations/{location}/featureOnlineStores/{featureOnlineStore}"


class Brand(Resource):
    """A brand: its default configurations, its rules and its stores."""

    kind: Literal["Brand"] | None = field("Brand.")
    name: str | None = field(f"Name of the brand: {BRAND_NAME_FORMAT}, or its id.", mode="identifier", declares="brand")
    displayName: str | None = field("Display name of the brand.", format="free-text")
    defaults: list[str] | None = field(
        "ChannelConfig names, at most one per type: the brand-level defaults.", names="config"
    )
    bindings: list[BrandBinding] | None = field("Brand-level rules, in the order in which they apply.")
    stores: list[Store] | None = field("The stores of the brand.")


class SessionSchema(Resource):
    """The types and variables that conditions of CEL upsells may read."""

    kind: Literal["SessionSchema"] | None = field("SessionSchema.")
    name: str | None = field("Name of the schema.", mode="identifier", format="identifier")
    types: dict[str, dict[str, str]] | None = field(
        "Message types: the fields of each and their types.", keys=("session type", "session field"), format="cel-type"
    )
    variables: dict[str, str] | None = field(
        "The variables of a condition and their types.", mode="required", keys=("session variable",), format="cel-type"
    )


class FeatureOnlineStore(Resource):
    """An online store that feature views live under."""

    kind: Literal["FeatureOnlineStore"] | None = field("FeatureOnlineStore.")
    name: str | None = field(
        f"Resource name of the store: {STORE_NAME_FORMAT}, or its id.", mode="identifier", declares="online store"
    )
    type: Literal["OPTIMIZED", "KEY_VALUE"] | None = field("Type of the store.", mode="required")


class RegisteredFeature(Node):
    """A feature of a feature group."""

    item_key: ClassVar = ("id",)

    id: str | None = field("Identifier of the feature.", mode="required", declares="feature", names="column")
    column: str | None = field("Column of the table; the identifier when unset.", names="column")


class FeatureGroupTable(Resource):
    """A feature group of the registry and the table behind it."""

    kind: Literal["FeatureGroupTable"] | None = field("FeatureGroupTable.")
    name: str | None = field("Name of the document.", mode="identifier", format="identifier")
    featureGroupId: str | None = field("Identifier of the feature group.", mode="required", declares="feature group")
    projectNumber: PositiveInt64 | None = field("Project number of the parent project of the group.")
    uri: str | None = field("URI of the table, as views write it.", mode="required", names="source")
    entityIdColumns: list[str] | None = field("Columns of the entity id.", mode="required", names="column")
    timestampColumn: str | None = field(
        "Column of the feature timestamp; feature_timestamp when unset.", names="column"
    )
    dense: bool | None = field("When true, the latest row is served unchanged, nulls included; false when unset.")
    features: list[RegisteredFeature] | None = field("The features of the group.", mode="required")


class Source(Resource):
    """Where the rows of a uri are."""

    unions: ClassVar = {"place": ("files", "database")}

    kind: Literal["Source"] | None = field("Source.")
    name: str | None = field("Name of the document.", mode="identifier", format="identifier")
    uri: str | None = field("The uri, as views and feature groups write it.", mode="required", declares="source")
    files: str | None = field(
        "Glob of Parquet, CSV or JSON files, or the folder of a table of Iceberg, relative to this file; or a URL, for "
        "an engine that reads it.",
        format="file-glob",
    )
    format: Literal["PARQUET", "CSV", "JSON", "ICEBERG"] | None = field(
        "Format of the files; derived from their extension when unset. ICEBERG for the folder of a table of Iceberg."
    )
    database: str | None = field(
        "A DuckDB or SQLite file, relative to this file, or a jdbc: URL for an engine; `table` names the table.",
        format="file-path",
    )
    table: str | None = field("Table of the database.", format="database-table")
    timestampColumn: str | None = field(
        "Column of the feature timestamp; feature_timestamp when unset, if the table has it.", names="column"
    )
    columns: list[Column] | None = field("Declared columns, for checks without the data.")
    readers: list[str] | None = field(
        "Members that may read it, such as the `serviceAccount:…` of a view that has one of its own.", format="opaque"
    )


COMPANIONS: tuple[type[Resource], ...] = (
    Brand,
    Menu,
    SessionSchema,
    FeatureOnlineStore,
    FeatureGroupTable,
    Source,
    Scenario,
)
