"""FeatureView: how values are extracted, scheduled, indexed and served (specification: feature-view, section 2)."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from trialrun.model.node import Integer, Node, PositiveInt64, Resource, field

NAME_FORMAT = (
    "projects/{project}/locations/{location}/featureOnlineStores/{featureOnlineStore}/featureViews/{featureView}"
)
MAX_LABEL_LENGTH = 64
MAX_LABELS = 64
DEFAULT_MIN_REPLICAS = 2
DEFAULT_MAX_REPLICAS = 6
MAX_REPLICAS = 1000
DEFAULT_LEAF_NODE_EMBEDDING_COUNT = 1000

LabelText = Annotated[str, Field(max_length=MAX_LABEL_LENGTH)]
DistanceMeasureType = Literal[
    "DISTANCE_MEASURE_TYPE_UNSPECIFIED", "SQUARED_L2_DISTANCE", "COSINE_DISTANCE", "DOT_PRODUCT_DISTANCE"
]
ServiceAgentType = Literal[
    "SERVICE_AGENT_TYPE_UNSPECIFIED", "SERVICE_AGENT_TYPE_PROJECT", "SERVICE_AGENT_TYPE_FEATURE_VIEW"
]


class WarehouseSource(Node):
    """Extraction from a data-warehouse source."""

    item_key: ClassVar = ("uri",)

    uri: str | None = field(
        "URI of the warehouse view that is materialized on each sync trigger per SyncConfig.",
        mode="required",
        names="source",
    )
    entityIdColumns: list[str] | None = field(
        "Columns used to construct the entity id / row keys.", mode="required", names="column"
    )


class FeatureGroup(Node):
    """A feature group of the registry and the features taken from it."""

    item_key: ClassVar = ("featureGroupId",)

    featureGroupId: str | None = field("Identifier of the feature group.", mode="required", names="feature group")
    featureIds: list[str] | None = field("Identifiers of features within the group.", mode="required", names="feature")


class FeatureRegistrySource(Node):
    """Features from a feature registry."""

    featureGroups: list[FeatureGroup] | None = field("Features to sync to the online store.", mode="required")
    projectNumber: PositiveInt64 | None = field("Project number of the parent project of the feature groups.")


class RagSource(Node):
    """A retrieval-augmented-generation source the view is linked to."""

    item_key: ClassVar = ("uri",)

    uri: str | None = field(
        "URI of the warehouse view or table materialized on each manual sync trigger.", mode="required", names="source"
    )
    ragCorpusId: PositiveInt64 | None = field("The RAG corpus id for this view.")


class SyncConfig(Node):
    """Configures when data is synced; only one option is set."""

    unions: ClassVar = {"sync option": ("cron", "continuous")}

    cron: str | None = field(
        "Cron schedule for scheduled runs. A time zone is set by the prefix CRON_TZ=<IANA_TIME_ZONE> or "
        "TZ=<IANA_TIME_ZONE> before the cron expression; the zone must be a valid IANA time zone database name.",
        format="cron",
    )
    continuous: bool | None = field("When true, the view is synced continuously to the online store.")


class TreeAHConfig(Node):
    """Shallow tree plus asymmetric hashing algorithm."""

    leafNodeEmbeddingCount: PositiveInt64 | None = field("Embeddings per leaf node; default 1000 when unset.")


class BruteForceConfig(Node):
    """Linear search per query, meant for benchmarking and ground truth; it has no fields."""


class IndexConfig(Node):
    """Index preparation for vector search (approximate nearest neighbor search at serving time)."""

    unions: ClassVar = {"algorithm_config": ("treeAhConfig", "bruteForceConfig")}

    embeddingColumn: str | None = field(
        "Column holding the source embedding data. Must be set when vector search is used.", names="column"
    )
    filterColumns: list[str] | None = field("Columns usable to filter vector search results.", names="column")
    crowdingColumn: str | None = field(
        "Column holding the crowding attribute: at most per_crowding_attribute_neighbor_count entities with the same "
        "crowding attribute are returned by a nearest-neighbor query.",
        names="column",
    )
    distanceMeasureType: DistanceMeasureType | None = field("Distance measure for nearest neighbor search.")
    treeAhConfig: TreeAHConfig | None = field("Shallow tree plus asymmetric hashing algorithm.")
    bruteForceConfig: BruteForceConfig | None = field(
        "Linear search per query, meant for benchmarking and ground truth. Has no fields."
    )
    embeddingDimension: Integer | None = field("Number of dimensions of the input embedding.", minimum=1)


class AutomaticResources(Node):
    """Resources mostly decided by the service, with modest extra configuration."""

    further_fields: ClassVar = "not shown"

    minReplicaCount: Integer | None = field("Minimum replica count; 2 when unset.", minimum=1, maximum=MAX_REPLICAS)
    maxReplicaCount: Integer | None = field("Maximum replica count; 6 when unset.", minimum=1, maximum=MAX_REPLICAS)

    @property
    def min_replicas(self) -> int:
        """The minimum replica count, the documented default applied."""
        return DEFAULT_MIN_REPLICAS if self.minReplicaCount is None else self.minReplicaCount

    @property
    def max_replicas(self) -> int:
        """The maximum replica count, the documented default applied."""
        return DEFAULT_MAX_REPLICAS if self.maxReplicaCount is None else self.maxReplicaCount


class OptimizedConfig(Node):
    """For views under an Optimized FeatureOnlineStore."""

    automaticResources: AutomaticResources | None = field(
        "Resources mostly decided by the service, with modest extra configuration. minReplicaCount defaults to 2 when "
        "unset. maxReplicaCount defaults to 6 when unset. Maximum allowed replica count is 1000."
    )


class KvStoreMetadata(Node):
    """Information about the underlying key-value store."""

    readAppProfile: str | None = field(
        "The app profile used for reading from the underlying key-value store.", mode="output only", format="opaque"
    )


class FeatureView(Resource):
    """The representation of values that a FeatureOnlineStore serves, according to the view's syncConfig."""

    unions: ClassVar = {"source": ("warehouseSource", "featureRegistrySource", "ragSource")}
    alternatives: ClassVar = {"index": ("indexConfig", "vectorSearchConfig")}

    kind: Literal["FeatureView"] | None = field("FeatureView.")
    name: str | None = field(
        f"Resource name: {NAME_FORMAT}.", mode="identifier", name_format=NAME_FORMAT, declares="view"
    )
    createTime: str | None = field("Creation time.", mode="output only", format="timestamp")
    updateTime: str | None = field("Time of last update.", mode="output only", format="timestamp")
    etag: str | None = field(
        "Used for consistent read-modify-write updates. When unset, an update is a blind overwrite.", format="opaque"
    )
    labels: dict[LabelText, LabelText] | None = field(
        "User-defined metadata: at most 64 labels; keys and values of at most 64 Unicode codepoints: lowercase "
        "letters, digits, underscores, dashes; international characters allowed.",
        keys=("label",),
        format="label",
    )
    syncConfig: SyncConfig | None = field("Configures when data is synced.")
    vectorSearchConfig: IndexConfig | None = field("Use indexConfig instead.", replaced_by="indexConfig")
    indexConfig: IndexConfig | None = field(
        "Index preparation for vector search (approximate nearest neighbor search at serving time)."
    )
    optimizedConfig: OptimizedConfig | None = field("For views under an Optimized FeatureOnlineStore.")
    serviceAgentType: ServiceAgentType | None = field("Service agent used during data sync.")
    serviceAccountEmail: str | None = field(
        "Service account unique to this view. It needs a data-viewer role on the source table so that the sync can "
        "read it.",
        mode="output only",
        format="email",
    )
    satisfiesPzs: bool | None = field("Reserved for future use.", mode="output only")
    satisfiesPzi: bool | None = field("Reserved for future use.", mode="output only")
    kvStoreMetadata: KvStoreMetadata | None = field(
        "Information about the underlying key-value store.", mode="output only"
    )
    warehouseSource: WarehouseSource | None = field("Extraction from a data-warehouse source.")
    featureRegistrySource: FeatureRegistrySource | None = field("Features from a feature registry.")
    ragSource: RagSource | None = field("A retrieval-augmented-generation source the view is linked to.")
