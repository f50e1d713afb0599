"""The vendor's Python client by REST, in both versions of the API: every operation, and refusals with their reasons."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.clients.conftest import CHUNKS
from tests.service.service_fixture import INDEX, MENU, RIDERS, SERVING, SOURCE, VECTORS

pytest.importorskip("google.cloud.aiplatform_v1", reason="needs the vendor's client; run pip install '.[client-tests]'")
pytestmark = pytest.mark.client

VERSIONS = ("v1", "v1beta1")
LOCATION = "projects/acme/locations/us"


class Clients:
    """The clients of a version of the API."""

    def __init__(self, version: str, address: str) -> None:
        import importlib

        from google.auth.credentials import AnonymousCredentials

        api = importlib.import_module(f"google.cloud.aiplatform_{version}")
        options = {
            "transport": "rest",
            "client_options": {"api_endpoint": address},
            "credentials": AnonymousCredentials(),  # type: ignore[no-untyped-call]
        }
        self.version = version
        self.admin: Any = api.FeatureOnlineStoreAdminServiceClient(**options)
        self.serving: Any = api.FeatureOnlineStoreServiceClient(**options)

    def create(self, id_: str, view: dict[str, Any], store: str = SERVING, **request: Any) -> Any:
        """The view that a finished operation of this version created."""
        asked = {"parent": store, "feature_view": view, "feature_view_id": f"{id_}_{self.version}", **request}
        return self.admin.create_feature_view(request=asked)


@pytest.fixture(scope="module", params=VERSIONS)
def clients(vendor_server: str, request: pytest.FixtureRequest) -> Clients:
    return Clients(request.param, vendor_server)


def test_a_view_is_created_read_and_deleted(clients: Clients) -> None:
    view = {"big_query_source": {"uri": SOURCE["uri"], "entity_id_columns": ["rider_id"]}, "labels": {"team_a": "x"}}
    operation = clients.create("made", {**view, "service_agent_type": 2}, run_sync_immediately=True)
    created = operation.result(timeout=20)
    assert (created.big_query_source.uri, dict(created.labels)) == (SOURCE["uri"], {"team_a": "x"})
    assert created.service_agent_type.name == "SERVICE_AGENT_TYPE_FEATURE_VIEW"
    metadata = operation.metadata.generic_metadata
    assert (type(operation.metadata).__name__, metadata.create_time.isoformat()) == (
        "CreateFeatureViewOperationMetadata",
        "2026-03-01T12:00:00+00:00",
    )
    assert metadata.partial_failures[0].code == 7
    assert clients.admin.get_feature_view(name=created.name) == created
    clients.admin.delete_feature_view(name=created.name).result(timeout=20)
    assert created.name not in [view.name for view in clients.admin.list_feature_views(parent=SERVING)]


def test_an_operation_can_be_polled_listed_and_deleted(clients: Clients) -> None:
    operation = clients.create("polled", {}).operation
    assert clients.admin.get_operation({"name": operation.name}).done
    assert clients.admin.wait_operation({"name": operation.name}).done
    if clients.version == "v1beta1":
        name = f"{SERVING}/featureViews/polled_{clients.version}"
        assert [known.name for known in clients.admin.list_operations({"name": name}).operations] == [operation.name]
    clients.admin.delete_operation({"name": operation.name})


def test_views_are_listed_by_page_and_filter(clients: Clients) -> None:
    clients.create("listed", {"labels": {"version": clients.version}}).result(timeout=20)
    request = {"parent": SERVING, "page_size": 1, "order_by": "create_time desc"}
    names = [view.name for view in clients.admin.list_feature_views(request=request)]
    assert {RIDERS, CHUNKS} <= set(names)
    request = {"parent": SERVING, "filter": f"labels.version = {clients.version}"}
    (view,) = clients.admin.list_feature_views(request=request)
    assert view.name.endswith(f"listed_{clients.version}")


def test_a_mask_says_what_is_changed(clients: Clients) -> None:
    view = {"big_query_source": {"uri": SOURCE["uri"], "entity_id_columns": ["rider_id"]}, "labels": {"a": "x"}}
    name = clients.create("patched", view).result(timeout=20).name
    changed = {
        "name": name,
        "big_query_source": {"uri": "bq://acme.serving.others"},
        "sync_config": {"cron": "TZ=Europe/Berlin 0 4 * * *"},
        "labels": {"b": "y"},
    }
    mask = {"paths": ["big_query_source.uri", "sync_config.cron"]}
    after = clients.admin.update_feature_view(feature_view=changed, update_mask=mask).result(timeout=20)
    assert (after.big_query_source.uri, list(after.big_query_source.entity_id_columns)) == (
        "bq://acme.serving.others",
        ["rider_id"],
    )
    assert (after.sync_config.cron, dict(after.labels)) == ("TZ=Europe/Berlin 0 4 * * *", {"a": "x"})


def test_syncs_are_made_read_and_listed(clients: Clients) -> None:
    name = clients.admin.sync_feature_view(feature_view=RIDERS).feature_view_sync
    sync = clients.admin.get_feature_view_sync(name=name)
    assert (sync.sync_summary.row_synced, sync.final_status.code) == (2, 0)
    assert name in [known.name for known in clients.admin.list_feature_view_syncs(parent=RIDERS)]
    asked = {"parent": RIDERS, "order_by": "create_time desc", "filter": 'create_time > "2020-01-01T00:00:00Z"'}
    assert name in [known.name for known in clients.admin.list_feature_view_syncs(request=asked)]


def test_values_are_fetched_by_either_key_and_in_either_form(clients: Clients) -> None:
    clients.admin.sync_feature_view(feature_view=RIDERS)
    request = {"feature_view": RIDERS, "data_key": {"key": "ana"}}
    features = clients.serving.fetch_feature_values(request=request).key_values.features
    values = {feature.name: feature.value for feature in features}
    assert (values["trips"].int64_value, values["rating"].double_value) == (12, 4.5)
    request = {"feature_view": RIDERS, "data_key": {"composite_key": {"parts": ["ana"]}}, "data_format": "PROTO_STRUCT"}
    assert dict(clients.serving.fetch_feature_values(request=request).proto_struct)["trips"] == 12


def test_chunks_are_served_with_the_columns_of_their_table(clients: Clients) -> None:
    clients.admin.sync_feature_view(feature_view=CHUNKS)
    request = {"feature_view": CHUNKS, "data_key": {"key": "c-1"}}
    features = clients.serving.fetch_feature_values(request=request).key_values.features
    values = {feature.name: feature.value for feature in features}
    assert (values["chunk_data"].string_value, list(values["embeddings"].double_array_value.values)) == (
        "Fries are hot",
        [0.5, 1.0],
    )
    view = clients.admin.get_feature_view(name=CHUNKS)
    assert (view.vertex_rag_source.uri, view.vertex_rag_source.rag_corpus_id) == ("bq://acme.serving.chunks", 7)


def test_nearest_entities_are_searched(clients: Clients) -> None:
    clients.admin.sync_feature_view(feature_view=MENU)
    query = {
        "embedding": {"value": [1.0, 0.0]},
        "neighbor_count": 2,
        "string_filters": [{"name": "cuisine", "allow_tokens": ["thai"]}],
        "numeric_filters": [{"name": "price", "value_double": 13.0, "op": "LESS"}],
    }
    request = {"feature_view": MENU, "query": query, "return_full_entity": True}
    neighbors = clients.serving.search_nearest_entities(request=request).nearest_neighbors.neighbors
    assert [neighbor.entity_id for neighbor in neighbors] == ["1", "2"]
    assert neighbors[0].entity_key_values.key_values.features


def test_a_token_is_generated_where_the_client_can(clients: Clients) -> None:
    if not hasattr(clients.serving, "generate_fetch_access_token"):
        pytest.skip("this version of the client has no such method")
    assert clients.serving.generate_fetch_access_token(request={"feature_view": RIDERS}).access_token


def test_stores_are_read(clients: Clients) -> None:
    assert "bigtable" in clients.admin.get_feature_online_store(name=SERVING)
    stores = {store.name: store for store in clients.admin.list_feature_online_stores(parent=LOCATION)}
    assert stores[VECTORS].dedicated_serving_endpoint.public_endpoint_domain_name.startswith("http://127.0.0.1:")


def test_policies_are_set_and_read(clients: Clients) -> None:
    from google.iam.v1 import iam_policy_pb2, options_pb2, policy_pb2

    role = policy_pb2.Binding(role="roles/featureViews.viewer", members=["user:ana@acme.example"])
    policy = policy_pb2.Policy(version=1, bindings=[role])
    after = clients.admin.set_iam_policy(iam_policy_pb2.SetIamPolicyRequest(resource=RIDERS, policy=policy))
    assert after.bindings[0] == role
    options = options_pb2.GetPolicyOptions(requested_policy_version=3)
    known = clients.admin.get_iam_policy(iam_policy_pb2.GetIamPolicyRequest(resource=RIDERS, options=options))
    assert known.etag == after.etag
    again = iam_policy_pb2.SetIamPolicyRequest(resource=RIDERS, policy=policy_pb2.Policy(etag=known.etag))
    assert not clients.admin.set_iam_policy(again).bindings
    permissions = ["featureViews.get", "featureViews.sync"]
    request = iam_policy_pb2.TestIamPermissionsRequest(resource=RIDERS, permissions=permissions)
    assert list(clients.admin.test_iam_permissions(request).permissions) == permissions


BAD = {"parent": SERVING, "feature_view_id": "bad"}
NO_SEARCH = {"feature_view": RIDERS, "query": {"embedding": {"value": [1.0]}}}
NO_ENTITY = {"feature_view": RIDERS, "data_key": {"key": "anna"}}
NO_PATH = {"feature_view": {"name": RIDERS}, "update_mask": {"paths": ["big_query_source.url"]}}
TAKEN = {"parent": SERVING, "feature_view": {}, "feature_view_id": "riders"}
STALE = {"feature_view": {"name": RIDERS, "etag": "x", "labels": {}}}


@pytest.mark.parametrize(
    ("method", "request_", "kind", "reason"),
    [
        ("create_feature_view", {"sync_config": {"cron": "0 25 * * *"}}, "BadRequest", "cron-syntax"),
        ("create_feature_view", {"big_query_source": {"uri": "bq://a.b.c"}}, "BadRequest", "missing-field"),
        ("create_feature_view", {"index_config": {"embedding_column": "x"}}, "BadRequest", "store-type-mismatch"),
        ("create_feature_view", TAKEN, "Conflict", "duplicate-resource-name"),
        ("get_feature_view", {"name": f"{SERVING}/featureViews/rider"}, "NotFound", "unknown-feature-view"),
        ("get_feature_online_store", {"name": f"{SERVING}x"}, "NotFound", "unknown-feature-online-store"),
        ("get_feature_view_sync", {"name": f"{RIDERS}/featureViewSyncs/99"}, "NotFound", "unknown-feature-view-sync"),
        ("get_operation", {"name": f"{RIDERS}/operations/99"}, "NotFound", "unknown-operation"),
        ("fetch_feature_values", NO_ENTITY, "NotFound", "unknown-entity"),
        ("update_feature_view", STALE, "Conflict", "stale-etag"),
        ("update_feature_view", NO_PATH, "BadRequest", "invalid-field-mask"),
        ("list_feature_views", {"parent": SERVING, "filter": "size = 1"}, "BadRequest", "invalid-filter"),
        ("search_nearest_entities", NO_SEARCH, "BadRequest", "not-searchable"),
    ],
)
def test_what_is_refused_has_a_reason(
    clients: Clients, method: str, request_: dict[str, Any], kind: str, reason: str
) -> None:
    from google.api_core import exceptions

    clients.admin.sync_feature_view(feature_view=RIDERS)
    is_view = method == "create_feature_view" and "parent" not in request_
    client = clients.admin if hasattr(clients.admin, method) else clients.serving
    with pytest.raises(exceptions.GoogleAPICallError) as refusal:
        getattr(client, method)({**BAD, "feature_view": request_} if is_view else request_)
    assert (type(refusal.value).__name__, refusal.value.reason) == (kind, reason)


def test_a_refusal_has_the_path_in_the_words_of_the_client(clients: Clients) -> None:
    from google.api_core import exceptions

    with pytest.raises(exceptions.BadRequest) as refusal:
        clients.create("bad", {"big_query_source": {"uri": "no uri", "entity_id_columns": ["x", "x"]}})
    _, bad_request = refusal.value.details
    fields = [violation["field"] for violation in bad_request["fieldViolations"]]
    assert fields == ["featureView.bigQuerySource.entityIdColumns[1]"]


def test_an_index_is_created_with_enums_as_numbers(clients: Clients) -> None:
    index = {
        "embedding_column": INDEX["embeddingColumn"],
        "distance_measure_type": 3,
        "tree_ah_config": {"leaf_node_embedding_count": 500},
        "embedding_dimension": 2,
    }
    source = {"uri": "bq://acme.serving.menu", "entity_id_columns": ["dish"]}
    view = clients.create("indexed", {"big_query_source": source, "index_config": index}, VECTORS).result(timeout=20)
    assert view.index_config.distance_measure_type.name == "DOT_PRODUCT_DISTANCE"
    assert view.index_config.tree_ah_config.leaf_node_embedding_count == 500
