"""The vendor's Python client by REST and by gRPC, unchanged, in both versions: every operation, streams, refusals."""

import importlib
import re
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from tests.server.clients.conftest import CHUNKS
from tests.server.server_process import RunningServer
from tests.service.service_fixture import INDEX, MENU, RIDERS, SERVING, STORES, VECTORS

grpc = pytest.importorskip("grpc")
pytest.importorskip("google.cloud.aiplatform_v1", reason="needs the vendor's client; run pip install '.[client-tests]'")
from google.api_core import exceptions  # noqa: E402
from google.auth.credentials import AnonymousCredentials  # noqa: E402
from google.iam.v1 import iam_policy_pb2, policy_pb2  # noqa: E402
from google.longrunning import operations_pb2  # noqa: E402
from google.protobuf import field_mask_pb2  # noqa: E402
from google.rpc import error_details_pb2  # noqa: E402

pytestmark = pytest.mark.client
VERSIONS = ("v1", "v1beta1")
SOURCE = {"uri": "bq://acme.serving.riders", "entity_id_columns": ["rider_id"]}
BY_REST = {
    "InvalidArgument": "BadRequest",
    "FailedPrecondition": "BadRequest",
    "AlreadyExists": "Conflict",
    "Aborted": "Conflict",
}
"""What an exception by gRPC is by REST, where it has another name."""


class Clients:
    """Both clients of a version of the API, by one transport."""

    def __init__(self, server: RunningServer, transport: str, version: str) -> None:
        self.api: Any = importlib.import_module(f"google.cloud.aiplatform_{version}")
        self.transport, self.version = transport, version
        self.admin = self._client(self.api.FeatureOnlineStoreAdminServiceClient, server)
        self.serving = self._client(self.api.FeatureOnlineStoreServiceClient, server)

    def _client(self, kind: Any, server: RunningServer) -> Any:
        if self.transport == "grpc":
            return kind(transport=kind.get_transport_class("grpc")(channel=grpc.insecure_channel(server.grpc)))
        credentials = AnonymousCredentials()  # type: ignore[no-untyped-call]
        return kind(transport="rest", client_options={"api_endpoint": server.http}, credentials=credentials)

    def create(self, id: str, view: dict[str, Any], store: str = SERVING, **request: Any) -> Any:
        """The operation that creates a view, whose id no other client has."""
        named = {"parent": store, "feature_view_id": f"{id}_{self.transport}_{self.version}", "feature_view": view}
        return self.admin.create_feature_view(request={**named, **request})

    def created(self, id: str, store: str = SERVING, **view: Any) -> Any:
        """A new view of riders, or of what else its fields say."""
        return self.create(id, {"big_query_source": SOURCE, **view}, store).result(timeout=30)

    def refusal(self, call: Callable[[], Any]) -> tuple[str, str]:
        """The class of the exception of a refused call, as it is by gRPC, and its reason."""
        with pytest.raises(exceptions.GoogleAPICallError) as refused:
            call()
        return type(refused.value).__name__, refused.value.reason


@pytest.fixture(scope="module", params=product(("rest", "grpc"), VERSIONS))
def clients(vendor_server: RunningServer, request: pytest.FixtureRequest) -> Clients:
    return Clients(vendor_server, *request.param)


@pytest.fixture(scope="module", params=VERSIONS)
def by_grpc(vendor_server: RunningServer, request: pytest.FixtureRequest) -> Clients:
    """What clients by REST have not: streams, and masks in camel case."""
    return Clients(vendor_server, "grpc", request.param)


@pytest.fixture
def synced(clients: Clients) -> Clients:
    """The clients of a server with values."""
    for view in (RIDERS, MENU, CHUNKS):
        clients.admin.sync_feature_view(feature_view=view)
    return clients


def test_a_view_is_created_read_and_deleted(clients: Clients) -> None:
    agent = clients.api.FeatureView.ServiceAgentType.SERVICE_AGENT_TYPE_FEATURE_VIEW
    view = {"big_query_source": SOURCE, "labels": {"team_a": "x"}, "service_agent_type": agent}
    operation = clients.create("made", view, run_sync_immediately=True)
    created = operation.result(timeout=30)
    assert (created.big_query_source.uri, dict(created.labels)) == (SOURCE["uri"], {"team_a": "x"})
    assert created.big_query_source.entity_id_columns == ["rider_id"]
    metadata = operation.metadata.generic_metadata
    assert type(operation.metadata).__name__ == "CreateFeatureViewOperationMetadata"
    assert metadata.create_time.isoformat() == "2026-03-01T12:00:00+00:00"
    assert metadata.partial_failures[0].code == 7
    assert clients.admin.get_feature_view(name=created.name) == created
    assert created.etag and created.service_agent_type == agent
    clients.admin.delete_feature_view(name=created.name).result(timeout=30)
    assert created.name not in [view.name for view in clients.admin.list_feature_views(parent=SERVING)]


def test_an_operation_can_be_polled_listed_and_deleted(clients: Clients) -> None:
    operation = clients.create("polled", {}).operation
    assert clients.admin.get_operation({"name": operation.name}).done
    waited = clients.admin.wait_operation({"name": operation.name})
    if clients.transport == "grpc":  # the client leaves these bytes as they are
        assert operations_pb2.Operation.FromString(waited) == operation
        clients.admin.cancel_operation({"name": operation.name})
    if (clients.transport, clients.version) != ("rest", "v1"):
        view = f"{SERVING}/featureViews/polled_{clients.transport}_{clients.version}"
        assert [known.name for known in clients.admin.list_operations({"name": view}).operations] == [operation.name]
    clients.admin.delete_operation({"name": operation.name})
    gone = clients.refusal(lambda: clients.admin.get_operation({"name": operation.name}))
    assert gone == ("NotFound", "unknown-operation")


def test_views_are_listed_by_page_and_filter(clients: Clients) -> None:
    team = f"{clients.transport}-{clients.version}"
    names = [clients.created(f"listed_{number}", labels={"team": team}).name for number in range(3)]
    request = {"parent": SERVING, "filter": f"labels.team = {team}"}
    paged = {**request, "page_size": 2, "order_by": "feature_view_id desc"}
    assert [view.name for view in clients.admin.list_feature_views(request=paged)] == names[::-1]


def test_a_mask_says_what_is_changed(clients: Clients) -> None:
    name = clients.created("patched", labels={"a": "x"}).name
    changed = {
        "name": name,
        "big_query_source": {"uri": "bq://acme.serving.others"},
        "sync_config": {"cron": "TZ=Europe/Berlin 0 4 * * *"},
        "labels": {"b": "y"},
    }
    mask = field_mask_pb2.FieldMask(paths=["big_query_source.uri", "sync_config.cron"])
    after = clients.admin.update_feature_view(feature_view=changed, update_mask=mask).result(timeout=30)
    source = after.big_query_source
    assert (source.uri, list(source.entity_id_columns)) == ("bq://acme.serving.others", ["rider_id"])
    assert (after.sync_config.cron, dict(after.labels)) == ("TZ=Europe/Berlin 0 4 * * *", {"a": "x"})


def test_a_mask_may_be_in_camel_case(by_grpc: Clients) -> None:
    update = {"name": by_grpc.created("camel").name, "big_query_source": {"uri": "bq://x.y.z"}}
    mask = field_mask_pb2.FieldMask(paths=["bigQuerySource.uri"])
    updated = by_grpc.admin.update_feature_view(feature_view=update, update_mask=mask).result(timeout=30)
    assert updated.big_query_source.uri == "bq://x.y.z"


def test_syncs_are_made_read_and_listed(clients: Clients) -> None:
    name = clients.admin.sync_feature_view(feature_view=RIDERS).feature_view_sync
    sync = clients.admin.get_feature_view_sync(name=name)
    assert (sync.name, sync.sync_summary.row_synced, sync.final_status.code) == (name, 2, 0)
    assert sync.run_time.start_time and sync.create_time
    asked = {"parent": RIDERS, "order_by": "create_time desc", "filter": 'create_time > "2020-01-01T00:00:00Z"'}
    assert name in [known.name for known in clients.admin.list_feature_view_syncs(request=asked)]


def test_values_are_fetched_by_either_key_and_in_either_form(synced: Clients) -> None:
    fetch = synced.serving.fetch_feature_values
    unspecified = synced.api.FeatureViewDataFormat.FEATURE_VIEW_DATA_FORMAT_UNSPECIFIED
    values = fetch(request={"feature_view": RIDERS, "data_key": {"key": "ben"}, "data_format": unspecified})
    assert {feature.name: feature.value for feature in values.key_values.features}["trips"].int64_value == 7
    key = {"composite_key": {"parts": ["ben"]}}
    struct = fetch(request={"feature_view": RIDERS, "data_key": key, "data_format": "PROTO_STRUCT"}).proto_struct
    assert (dict(struct)["trips"], dict(struct)["rating"]) == (7, None)


def test_an_old_client_names_the_entity_by_its_id(synced: Clients) -> None:
    if synced.version == "v1":
        pytest.skip("v1 has no such field any more")
    request = {"feature_view": RIDERS, "id": "ben", "format_": "PROTO_STRUCT"}
    assert dict(synced.serving.fetch_feature_values(request=request).proto_struct)["trips"] == 7


def test_chunks_are_served_with_the_columns_of_their_table(synced: Clients) -> None:
    request = {"feature_view": CHUNKS, "data_key": {"key": "c-1"}}
    features = synced.serving.fetch_feature_values(request=request).key_values.features
    values = {feature.name: feature.value for feature in features}
    assert values["chunk_data"].string_value == "Fries are hot"
    assert list(values["embeddings"].double_array_value.values) == [0.5, 1.0]
    source = synced.admin.get_feature_view(name=CHUNKS).vertex_rag_source
    assert (source.uri, source.rag_corpus_id) == ("bq://acme.serving.chunks", 7)


def test_nearest_entities_are_searched_with_their_values(synced: Clients) -> None:
    query = {"embedding": {"value": [1.0, 0.0]}, "neighbor_count": 2}
    response = synced.serving.search_nearest_entities(
        request={"feature_view": MENU, "query": query, "return_full_entity": True}
    )
    near, next_ = response.nearest_neighbors.neighbors
    assert (near.entity_id, near.distance, next_.entity_id) == ("1", 0.0, "2")
    assert next_.distance == pytest.approx(0.02)
    features = {feature.name: feature.value for feature in near.entity_key_values.key_values.features}
    assert features["cuisine"].string_value == "thai"
    assert list(features["vector"].double_array_value.values) == [1.0, 0.0]


def test_searches_are_filtered_and_may_leave_the_count_out(synced: Clients) -> None:
    operator = synced.api.NearestNeighborQuery.NumericFilter.Operator.GREATER_EQUAL
    query = {
        "entity_id": "1",
        "neighbor_count": 0,
        "string_filters": [{"name": "cuisine", "allow_tokens": ["thai"]}],
        "numeric_filters": [{"name": "price", "value_float": 12.0, "op": operator}],
    }
    response = synced.serving.search_nearest_entities(request={"feature_view": MENU, "query": query})
    assert [neighbor.entity_id for neighbor in response.nearest_neighbors.neighbors] == ["2"]


def write_request(key: str, value: dict[str, Any]) -> dict[str, Any]:
    values = {"data_key": {"key": key}, "features": [{"name": "trips", "value": value}]}
    return {"feature_view": RIDERS, "data_key_and_feature_values": [values]}


def reason_of(status: Any) -> str:
    (info,) = [detail for detail in status.details if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR)]
    return error_details_pb2.ErrorInfo.FromString(info.value).reason


def test_values_are_written_and_fetched_by_streams(by_grpc: Clients) -> None:
    by_grpc.admin.sync_feature_view(feature_view=RIDERS)
    writes = [write_request("new", {"int64_value": 99}), write_request("new", {"string_value": "x"})]
    answers = [*by_grpc.serving.feature_view_direct_write(requests=iter(writes))]
    assert [answer.status.code for answer in answers] == [0, 3]
    assert answers[0].write_responses[0].online_store_write_time
    if by_grpc.version == "v1beta1":  # the client of v1 has no such method
        keys = [{"key": "new"}, {"key": "nobody"}]
        requests = [{"feature_view": RIDERS, "data_keys": keys}, {"feature_view": RIDERS, "data_keys": keys[:1]}]
        found, lost, last = by_grpc.serving.streaming_fetch_feature_values(requests=iter(requests))
        assert [(len(answer.data), answer.status.code) for answer in (found, lost, last)] == [(1, 0), (0, 5), (1, 0)]
        assert found.data[0].key_values.features[0].value.int64_value == 99
        assert (lost.data_keys_with_error[0].key, reason_of(lost.status)) == ("nobody", "unknown-entity")


def test_a_token_is_generated_where_the_client_can(clients: Clients) -> None:
    if not hasattr(clients.serving, "generate_fetch_access_token"):
        pytest.skip("this version of the client has no such method")
    response = clients.serving.generate_fetch_access_token(request={"feature_view": RIDERS})
    assert response.access_token and response.expire_time


def test_stores_are_read(clients: Clients) -> None:
    store = clients.admin.get_feature_online_store(name=SERVING)
    assert (store.name, store.state.name, store.bigtable.auto_scaling.min_node_count) == (SERVING, "STABLE", 1)
    stores = {store.name: store for store in clients.admin.list_feature_online_stores(parent=STORES.rpartition("/")[0])}
    domain = stores[VECTORS].dedicated_serving_endpoint.public_endpoint_domain_name
    assert domain.startswith("http://127.0.0.1:")


def test_policies_are_set_and_read(clients: Clients) -> None:
    role = policy_pb2.Binding(role="roles/featureViews.viewer", members=["user:ana@acme.example"])
    policy = policy_pb2.Policy(version=1, bindings=[role])
    after = clients.admin.set_iam_policy({"resource": RIDERS, "policy": policy})
    assert after.bindings[0] == role
    known = clients.admin.get_iam_policy({"resource": RIDERS, "options": {"requested_policy_version": 3}})
    assert known.etag == after.etag != b""
    again = {"resource": RIDERS, "policy": policy_pb2.Policy(etag=known.etag)}
    assert not clients.admin.set_iam_policy(again).bindings
    stale = clients.refusal(lambda: clients.admin.set_iam_policy(again))
    assert stale == (name_of("Aborted", clients), "stale-etag")
    permissions = ["featureViews.get", "featureViews.sync"]
    request = iam_policy_pb2.TestIamPermissionsRequest(resource=RIDERS, permissions=permissions)
    assert list(clients.admin.test_iam_permissions(request).permissions) == permissions


def name_of(kind: str, clients: Clients) -> str:
    """The name of an exception by the transport of the clients."""
    return BY_REST.get(kind, kind) if clients.transport == "rest" else kind


NO_SEARCH = {"feature_view": RIDERS, "query": {"embedding": {"value": [1.0]}}}
NO_PATH = {"feature_view": {"name": RIDERS}, "update_mask": {"paths": ["big_query_source.url"]}}
NO_VIEW = {"parent": SERVING, "feature_view_id": "bad", "feature_view": {"sync_config": {"cron": "0 25 * * *"}}}
TAKEN = {"parent": SERVING, "feature_view": {}, "feature_view_id": "riders"}
STALE = {"feature_view": {"name": RIDERS, "etag": "x", "labels": {}}}


@pytest.mark.parametrize(
    ("method", "request_", "kind", "reason"),
    [
        ("create_feature_view", NO_VIEW, "InvalidArgument", "cron-syntax"),
        ("create_feature_view", TAKEN, "AlreadyExists", "duplicate-resource-name"),
        ("get_feature_view", {"name": f"{SERVING}/featureViews/rider"}, "NotFound", "unknown-feature-view"),
        ("get_feature_online_store", {"name": f"{SERVING}x"}, "NotFound", "unknown-feature-online-store"),
        ("get_feature_view_sync", {"name": f"{RIDERS}/featureViewSyncs/99"}, "NotFound", "unknown-feature-view-sync"),
        ("update_feature_view", STALE, "Aborted", "stale-etag"),
        ("update_feature_view", NO_PATH, "InvalidArgument", "invalid-field-mask"),
        ("list_feature_views", {"parent": SERVING, "filter": "size = 1"}, "InvalidArgument", "invalid-filter"),
        ("search_nearest_entities", NO_SEARCH, "InvalidArgument", "not-searchable"),
    ],
)
def test_what_is_refused_has_a_reason(
    synced: Clients, method: str, request_: dict[str, Any], kind: str, reason: str
) -> None:
    client = synced.admin if hasattr(synced.admin, method) else synced.serving
    assert synced.refusal(lambda: getattr(client, method)(request_)) == (name_of(kind, synced), reason)


def test_a_refusal_has_the_path_in_the_words_of_the_client(clients: Clients) -> None:
    with pytest.raises(exceptions.GoogleAPICallError) as refused:
        clients.created("bad", big_query_source={"uri": SOURCE["uri"]})
    fields = re.findall(r"""field'?: ['"](.+?)['"]""", str(refused.value.details))
    assert fields == ["featureView.bigQuerySource"]


def test_an_index_is_created_with_enums_as_numbers(clients: Clients) -> None:
    index = {
        "embedding_column": INDEX["embeddingColumn"],
        "distance_measure_type": 3,
        "tree_ah_config": {"leaf_node_embedding_count": 500},
        "embedding_dimension": 2,
    }
    source = {"uri": "bq://acme.serving.menu", "entity_id_columns": ["dish"]}
    view = clients.created("indexed", VECTORS, big_query_source=source, index_config=index)
    assert view.index_config.distance_measure_type.name == "DOT_PRODUCT_DISTANCE"
    assert view.index_config.tree_ah_config.leaf_node_embedding_count == 500
