"""The vendor's Python client by gRPC, unchanged, in both versions: every operation, both streams, and refusals."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.service.service_fixture import MENU, RIDERS, SERVING, STORES, VECTORS

VERSIONS = ("v1", "v1beta1")
grpc = pytest.importorskip("grpc")
pytest.importorskip("google.cloud.aiplatform_v1", reason="needs the vendor's client; run pip install '.[client-tests]'")
from google.api_core import exceptions  # noqa: E402
from google.iam.v1 import iam_policy_pb2  # noqa: E402
from google.longrunning import operations_pb2  # noqa: E402
from google.protobuf import field_mask_pb2  # noqa: E402

from tests.server.grpc_fixture import HOST, serve_grpc  # noqa: E402

pytestmark = pytest.mark.client
SOURCE = {"uri": "bq://acme.serving.riders", "entity_id_columns": ["rider_id"]}
VIEWER = "roles/featureViews.viewer"
ANA = "user:ana@acme.example"


class Clients:
    """Both clients of the vendor's, by one connection."""

    def __init__(self, port: int, version: str) -> None:
        self.api: ModuleType = importlib.import_module(f"google.cloud.aiplatform_{version}")
        self.version = version
        self.channel = grpc.insecure_channel(f"{HOST}:{port}")
        self.admin = self._client(self.api.FeatureOnlineStoreAdminServiceClient)
        self.serving = self._client(self.api.FeatureOnlineStoreServiceClient)

    def _client(self, client: Any) -> Any:
        return client(transport=client.get_transport_class("grpc")(channel=self.channel))

    def create(self, id: str = "copy", *, sync: bool = False, **fields: Any) -> Any:
        """A new view of riders."""
        request = {"parent": SERVING, "feature_view_id": id, "run_sync_immediately": sync}
        view = {"big_query_source": SOURCE, **fields}
        return self.admin.create_feature_view(request={**request, "feature_view": view}).result(timeout=30)


@pytest.fixture(params=VERSIONS)
def clients(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Clients]:
    with serve_grpc(tmp_path) as port:
        clients = Clients(port, request.param)
        yield clients
        clients.channel.close()


def refusal(call: Callable[[], Any]) -> tuple[str, str]:
    """The class of the exception of a call that is refused, and its reason."""
    with pytest.raises(exceptions.GoogleAPICallError) as refused:
        call()
    return type(refused.value).__name__, refused.value.reason


def test_a_view_is_created_read_and_deleted(clients: Clients) -> None:
    agent = clients.api.FeatureView.ServiceAgentType.SERVICE_AGENT_TYPE_PROJECT
    view = clients.create(labels={"my_team": "a"}, service_agent_type=agent, sync_config={"cron": "0 4 * * *"})
    assert (view.name, view.big_query_source.uri) == (f"{SERVING}/featureViews/copy", SOURCE["uri"])
    read = clients.admin.get_feature_view(name=view.name)
    assert (read.service_agent_type, dict(read.labels), read.sync_config.cron) == (agent, {"my_team": "a"}, "0 4 * * *")
    assert read.etag and read.create_time and read.big_query_source.entity_id_columns == ["rider_id"]
    clients.admin.delete_feature_view(name=view.name).result(timeout=30)
    assert refusal(lambda: clients.admin.get_feature_view(name=view.name)) == ("NotFound", "unknown-feature-view")


def test_views_are_listed_by_page_and_filter(clients: Clients) -> None:
    for id in ("a", "b", "c"):
        clients.create(id, labels={"team": id})
    request = {"parent": SERVING, "page_size": 2, "order_by": "feature_view_id desc"}
    listed = clients.admin.list_feature_views(request=request)
    assert [view.name.rpartition("/")[2] for view in listed] == ["riders", "c", "b", "a"]
    filtered = clients.admin.list_feature_views(request={"parent": SERVING, "filter": 'labels.team = "b"'})
    assert [view.name for view in filtered] == [f"{SERVING}/featureViews/b"]


@pytest.mark.parametrize("spelling", ["sync_config.cron", "syncConfig.cron"])
def test_a_view_is_updated_by_a_mask_in_both_spellings(clients: Clients, spelling: str) -> None:
    view = clients.create(labels={"my_team": "a", "tier": "b"})
    update = {"name": view.name, "labels": {"my_team": "new"}, "sync_config": {"cron": "TZ=Europe/Berlin 0 4 * * *"}}
    mask = field_mask_pb2.FieldMask(paths=[spelling, "labels.my_team"])
    updated = clients.admin.update_feature_view(feature_view=update, update_mask=mask).result(timeout=30)
    assert updated.sync_config.cron == "TZ=Europe/Berlin 0 4 * * *"
    assert dict(updated.labels) == {"my_team": "new", "tier": "b"}


@pytest.mark.parametrize("path", ["big_query_source.entity_id_columns", "bigQuerySource.entityIdColumns"])
def test_a_mask_has_the_names_of_the_vendor(clients: Clients, path: str) -> None:
    view = clients.create()
    update = {"name": view.name, "big_query_source": {"uri": "bq://x.y.z", "entity_id_columns": ["trips"]}}
    mask = field_mask_pb2.FieldMask(paths=[path])
    updated = clients.admin.update_feature_view(feature_view=update, update_mask=mask).result(timeout=30)
    assert updated.big_query_source.uri == SOURCE["uri"]
    assert updated.big_query_source.entity_id_columns == ["trips"]


def test_a_view_is_synced(clients: Clients) -> None:
    name = clients.admin.sync_feature_view(feature_view=RIDERS).feature_view_sync
    record = clients.admin.get_feature_view_sync(name=name)
    assert (record.name, record.sync_summary.row_synced, record.final_status.code) == (name, 2, 0)
    assert record.run_time.start_time and record.create_time
    assert [sync.name for sync in clients.admin.list_feature_view_syncs(parent=RIDERS)] == [name]


def test_values_are_fetched_in_both_formats(clients: Clients) -> None:
    clients.admin.sync_feature_view(feature_view=RIDERS)
    fetch = clients.serving.fetch_feature_values
    values = fetch(request={"feature_view": RIDERS, "data_key": {"key": "ana"}})
    features = {feature.name: feature.value for feature in values.key_values.features}
    assert (features["trips"].int64_value, features["rating"].double_value) == (12, 4.5)
    key = {"composite_key": {"parts": ["ben"]}}
    struct = fetch(request={"feature_view": RIDERS, "data_key": key, "data_format": "PROTO_STRUCT"}).proto_struct
    assert dict(struct)["trips"] == 7 and dict(struct)["rating"] is None
    unspecified = clients.api.FeatureViewDataFormat.FEATURE_VIEW_DATA_FORMAT_UNSPECIFIED
    request = {"feature_view": RIDERS, "data_key": {"key": "ana"}, "data_format": unspecified}
    assert fetch(request=request).key_values.features


def test_an_old_client_names_the_entity_by_its_id(clients: Clients) -> None:
    if clients.version == "v1":
        pytest.skip("v1 has no such field any more")
    clients.admin.sync_feature_view(feature_view=RIDERS)
    request = {"feature_view": RIDERS, "id": "ana", "format_": "PROTO_STRUCT"}
    assert dict(clients.serving.fetch_feature_values(request=request).proto_struct)["trips"] == 12


def test_the_nearest_entities_are_searched(clients: Clients) -> None:
    clients.admin.sync_feature_view(feature_view=MENU)
    search = clients.serving.search_nearest_entities
    query = {"embedding": {"value": [1.0, 0.0]}, "neighbor_count": 2}
    response = search(request={"feature_view": MENU, "query": query, "return_full_entity": True})
    near, next_ = response.nearest_neighbors.neighbors
    assert (near.entity_id, near.distance, next_.entity_id) == ("1", 0.0, "2")
    assert next_.distance == pytest.approx(0.02)
    features = {feature.name: feature.value for feature in near.entity_key_values.key_values.features}
    assert features["cuisine"].string_value == "thai"
    assert list(features["vector"].double_array_value.values) == [1.0, 0.0]


def test_searches_are_filtered_and_may_leave_the_count_out(clients: Clients) -> None:
    clients.admin.sync_feature_view(feature_view=MENU)
    operator = clients.api.NearestNeighborQuery.NumericFilter.Operator.GREATER_EQUAL
    query = {
        "entity_id": "1",
        "neighbor_count": 0,
        "string_filters": [{"name": "cuisine", "allow_tokens": ["thai"]}],
        "numeric_filters": [{"name": "price", "value_float": 12.0, "op": operator}],
    }
    response = clients.serving.search_nearest_entities(request={"feature_view": MENU, "query": query})
    assert [neighbor.entity_id for neighbor in response.nearest_neighbors.neighbors] == ["2"]


def test_values_are_written_by_a_stream(clients: Clients) -> None:
    clients.admin.sync_feature_view(feature_view=RIDERS)
    bad = write_request("ana", trips={"string_value": "x"})
    answers = list(
        clients.serving.feature_view_direct_write(
            requests=iter([write_request("ana", trips={"int64_value": 99}), bad, write_request("new")])
        )
    )
    assert [answer.status.code for answer in answers] == [0, 3, 0]
    assert answers[0].write_responses[0].online_store_write_time
    assert {detail.type_url for detail in answers[1].status.details} == {
        "type.googleapis.com/google.rpc.ErrorInfo",
        "type.googleapis.com/google.rpc.BadRequest",
    }
    values = clients.serving.fetch_feature_values(request={"feature_view": RIDERS, "data_key": {"key": "ana"}})
    assert {feature.name: feature.value.int64_value for feature in values.key_values.features}["trips"] == 99


def write_request(key: str, **values: dict[str, Any]) -> dict[str, Any]:
    features = [{"name": name, "value": value} for name, value in (values or {"trips": {"int64_value": 1}}).items()]
    return {"feature_view": RIDERS, "data_key_and_feature_values": [{"data_key": {"key": key}, "features": features}]}


def test_values_are_fetched_by_a_stream(clients: Clients) -> None:
    if clients.version == "v1":
        pytest.skip("the client of v1 has no such method")
    clients.admin.sync_feature_view(feature_view=RIDERS)
    keys = [{"key": "ana"}, {"key": "nobody"}]
    requests = [{"feature_view": RIDERS, "data_keys": keys}, {"feature_view": RIDERS, "data_keys": keys[:1]}]
    answers = list(clients.serving.streaming_fetch_feature_values(requests=iter(requests)))
    assert [(len(answer.data), answer.status.code) for answer in answers] == [(1, 0), (0, 5), (1, 0)]
    assert answers[0].data[0].data_key.key == "ana"
    assert answers[1].data_keys_with_error[0].key == "nobody"
    assert reasons(answers[1].status) == ["unknown-entity"]


def reasons(status: Any) -> list[str]:
    from google.rpc import error_details_pb2

    infos = [detail for detail in status.details if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR)]
    return [error_details_pb2.ErrorInfo.FromString(info.value).reason for info in infos]


def test_a_token_gives_access(clients: Clients) -> None:
    response = clients.serving.generate_fetch_access_token(request={"feature_view": RIDERS})
    assert response.access_token and response.expire_time


def test_policies_are_set_and_read(clients: Clients) -> None:
    policy = {"bindings": [{"role": VIEWER, "members": [ANA]}]}
    set_ = clients.admin.set_iam_policy(request={"resource": RIDERS, "policy": policy})
    assert (set_.bindings[0].role, list(set_.bindings[0].members)) == (VIEWER, [ANA])
    options = {"requested_policy_version": 3}
    read = clients.admin.get_iam_policy(request={"resource": RIDERS, "options": options})
    assert read.etag == set_.etag != b""
    again = clients.admin.set_iam_policy(request={"resource": RIDERS, "policy": read})
    assert again.bindings == read.bindings
    stale = {"bindings": [], "etag": read.etag}
    assert refusal(lambda: clients.admin.set_iam_policy(request={"resource": RIDERS, "policy": stale})) == (
        "Aborted",
        "stale-etag",
    )
    asked = iam_policy_pb2.TestIamPermissionsRequest(resource=RIDERS, permissions=["featureViews.get"])
    assert clients.admin.test_iam_permissions(request=asked).permissions == ["featureViews.get"]
    unknown = iam_policy_pb2.TestIamPermissionsRequest(resource=RIDERS, permissions=["x.y"])
    assert refusal(lambda: clients.admin.test_iam_permissions(request=unknown)) == (
        "InvalidArgument",
        "unknown-permission",
    )


def test_operations_are_kept(clients: Clients) -> None:
    request = {"parent": SERVING, "feature_view_id": "copy", "feature_view": {"big_query_source": SOURCE}}
    operation = clients.admin.create_feature_view(request=request).operation
    read = clients.admin.get_operation(operations_pb2.GetOperationRequest(name=operation.name))
    assert read == operation and read.done
    assert read.response.type_url == f"type.googleapis.com/google.cloud.aiplatform.{clients.version}.FeatureView"
    view = f"{SERVING}/featureViews/copy"
    listed = clients.admin.list_operations(operations_pb2.ListOperationsRequest(name=view))
    assert [found.name for found in listed.operations] == [operation.name]
    waited = clients.admin.wait_operation(operations_pb2.WaitOperationRequest(name=operation.name))
    assert operations_pb2.Operation.FromString(waited) == operation  # the client leaves these bytes as they are
    clients.admin.cancel_operation(operations_pb2.CancelOperationRequest(name=operation.name))
    clients.admin.delete_operation(operations_pb2.DeleteOperationRequest(name=operation.name))
    gone = operations_pb2.GetOperationRequest(name=operation.name)
    assert refusal(lambda: clients.admin.get_operation(gone)) == ("NotFound", "unknown-operation")


def test_operations_have_their_metadata(clients: Clients) -> None:
    request = {"parent": SERVING, "feature_view_id": "copy", "feature_view": {"big_query_source": SOURCE}}
    metadata = clients.admin.create_feature_view(request=request).metadata
    assert metadata.generic_metadata.create_time and not metadata.generic_metadata.partial_failures


def test_stores_are_read(clients: Clients) -> None:
    store = clients.admin.get_feature_online_store(name=SERVING)
    assert (store.name, store.state.name, store.bigtable.auto_scaling.min_node_count) == (SERVING, "STABLE", 1)
    listed = clients.admin.list_feature_online_stores(parent=STORES.rpartition("/")[0])
    assert [store.name for store in listed] == [SERVING, VECTORS]
    unknown = f"{STORES}/none"
    assert refusal(lambda: clients.admin.get_feature_online_store(name=unknown)) == (
        "NotFound",
        "unknown-feature-online-store",
    )


@pytest.mark.parametrize(
    ("reason", "fields"),
    [
        ("cron-syntax", {"sync_config": {"cron": "0 25 * * *"}}),
        ("missing-field", {"big_query_source": {"uri": SOURCE["uri"]}}),
        ("invalid-label", {"labels": {"Team": "a"}}),
    ],
)
def test_a_refused_view_names_the_rule(clients: Clients, reason: str, fields: dict[str, Any]) -> None:
    assert refusal(lambda: clients.create("bad", **fields)) == ("InvalidArgument", reason)


def test_the_path_of_a_refused_field_has_the_words_of_the_vendor(clients: Clients) -> None:
    with pytest.raises(exceptions.InvalidArgument) as refused:
        clients.create("bad", big_query_source={"uri": SOURCE["uri"]})
    (bad_request,) = [detail for detail in refused.value.details if type(detail).__name__ == "BadRequest"]
    assert [violation.field for violation in bad_request.field_violations] == ["featureView.bigQuerySource"]


@pytest.mark.parametrize(
    ("expected", "call"),
    [
        (("AlreadyExists", "duplicate-resource-name"), lambda clients: clients.create("riders")),
        (("NotFound", "unknown-feature-online-store"), lambda clients: list_views(clients, f"{STORES}/none")),
        (("InvalidArgument", "invalid-filter"), lambda clients: list_views(clients, SERVING, filter="(")),
        (("InvalidArgument", "invalid-page-token"), lambda clients: list_views(clients, SERVING, page_token="x")),
        (("FailedPrecondition", "never-synced"), lambda clients: fetch(clients, RIDERS, "ana")),
        (("InvalidArgument", "invalid-field-mask"), lambda clients: update(clients, "no_such")),
        (("InvalidArgument", "missing-field"), lambda clients: fetch(clients, RIDERS, None)),
        (("NotFound", "unknown-feature-view"), lambda clients: fetch(clients, f"{VECTORS}/featureViews/no", "1")),
    ],
)
def test_refusals_have_a_reason(clients: Clients, expected: tuple[str, str], call: Callable[[Clients], Any]) -> None:
    assert refusal(lambda: call(clients)) == expected


def list_views(clients: Clients, parent: str, **fields: Any) -> Any:
    return list(clients.admin.list_feature_views(request={"parent": parent, **fields}))


def fetch(clients: Clients, view: str, key: str | None) -> Any:
    data_key = {"data_key": {"key": key}} if key is not None else {}
    return clients.serving.fetch_feature_values(request={"feature_view": view, **data_key})


def update(clients: Clients, path: str) -> Any:
    mask = field_mask_pb2.FieldMask(paths=[path])
    return clients.admin.update_feature_view(feature_view={"name": RIDERS}, update_mask=mask)
