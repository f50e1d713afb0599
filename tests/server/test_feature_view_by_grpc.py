"""The operations on views, by gRPC: calls, streams, faults, and lists with nulls."""

import asyncio
import json
import queue
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import serve as serve_benchmark
from tests.server.server_fixture import HttpClient
from tests.server.server_process import start_server
from tests.service.service_fixture import RIDERS, SERVING

grpc = pytest.importorskip("grpc")

from tests.server.grpc_fixture import TIMEOUT, GrpcClient, reason_of, serve_grpc, serve_services, to_json, to_request  # noqa: E402  # noqa: E402
from trialrun.server.grpc.messages import service_methods  # noqa: E402
from trialrun.server.operations import RPCS  # noqa: E402
from trialrun.service.rpc import Api  # noqa: E402

FETCH = "StreamingFetchFeatureValues"
SERVING_SERVICE = "google.cloud.aiplatform.v1beta1.FeatureOnlineStoreService"
WRITE = "FeatureViewDirectWrite"
TEXTS = f"{SERVING}/featureViews/texts"
UNKNOWN_FIELD = b"\xc2\x3e\x80\x80\x08" + b" " * 2**17
"""The field 1000 of a message, which no message has, with 128 KB: a request that is large and little work."""
REQUEST = {"featureView": RIDERS, "dataKeys": [{"key": "ana"}]}
TAGS = f"{SERVING}/featureViews/tags"
DOCUMENTS: list[dict[str, Any]] = [
    {"kind": "Source", "uri": "bq://p.d.tags", "files": "tags.jsonl", "format": "JSON"},
    {"kind": "FeatureView", "name": TAGS, "warehouseSource": {"uri": "bq://p.d.tags", "entityIdColumns": ["id"]}},
]
KEYS = [{"key": "a"}, {"key": "b"}]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[GrpcClient]:
    with serve_grpc(tmp_path) as port:
        client = GrpcClient(port)
        yield client
        client.close()


def test_values_are_fetched_after_a_sync(client: GrpcClient) -> None:
    sync = client.call("SyncFeatureView", {"featureView": RIDERS})["featureViewSync"]
    assert client.call("GetFeatureViewSync", {"name": sync})["syncSummary"]["rowSynced"] == "2"
    asked = {"featureView": RIDERS, "dataKey": {"key": "ana"}, "dataFormat": "PROTO_STRUCT"}
    assert client.call("FetchFeatureValues", asked)["protoStruct"]["trips"] == 12


def test_operations_are_listed_by_page(client: GrpcClient) -> None:
    update = {"featureView": {"name": RIDERS, "labels": {"team": "new"}}, "updateMask": "labels"}
    names = [client.call("UpdateFeatureView", update)["name"] for _ in range(3)]
    first = client.call("ListOperations", {"name": RIDERS, "pageSize": 2})
    second = client.call("ListOperations", {"name": RIDERS, "pageSize": 2, "pageToken": first["nextPageToken"]})
    listed = [operation["name"] for operation in (*first["operations"], *second["operations"])]
    assert (listed, second.get("nextPageToken")) == (names, None)
    with pytest.raises(grpc.RpcError) as refused:
        client.call("ListOperations", {"name": RIDERS, "filter": "done"})
    assert reason_of(refused.value) == "invalid-filter"


def test_every_operation_on_views_has_a_method(client: GrpcClient) -> None:
    apis = (Api.FEATURE_STORE_ADMIN, Api.FEATURE_STORE_SERVING)
    operations = {binding.method for binding in RPCS if binding.api in apis}
    assert operations <= client.methods.keys()
    for method in (client.methods[name] for name in operations):
        with pytest.raises(grpc.RpcError) as refused:
            client.send_bytes(method.path, b"\xff")
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT, method.path


@pytest.fixture
def stream_client(client: GrpcClient) -> GrpcClient:
    """A client of a server with values."""
    client.call("SyncFeatureView", {"featureView": RIDERS})
    return client


def fetch_request(*keys: str) -> dict[str, Any]:
    return {"featureView": RIDERS, "dataKeys": [{"key": key} for key in keys]}


def write_request(trips: int, key: str = "ana") -> dict[str, Any]:
    feature = {"name": "trips", "value": {"int64Value": str(trips)}}
    values = {"dataKey": {"key": key}, "features": [feature]}
    return {"featureView": RIDERS, "dataKeyAndFeatureValues": [values]}


class OpenStream:
    """A stream whose requests are sent one by one."""

    def __init__(self, client: GrpcClient, name: str) -> None:
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._method = client.methods[name]
        self.call = client.channel.stream_stream(self._method.path)(iter(self._requests.get, None), timeout=TIMEOUT)

    def send(self, request: dict[str, Any]) -> None:
        self._requests.put(to_request(request, self._method).SerializeToString())

    def end(self) -> None:
        self._requests.put(None)

    def answer(self) -> dict[str, Any]:
        return to_json(self._method.response.FromString(next(self.call)))


def test_each_request_is_answered_before_the_next_is_sent(stream_client: GrpcClient) -> None:
    stream = OpenStream(stream_client, FETCH)
    for key in ("ana", "ben", "ana"):
        stream.send(fetch_request(key))
        assert stream.answer()["data"][0]["dataKey"] == {"key": key}
    stream.end()
    assert list(stream.call) == []
    assert stream.call.code() is grpc.StatusCode.OK


def test_writes_have_the_order_in_which_they_are_sent(stream_client: GrpcClient) -> None:
    assert len(stream_client.stream(WRITE, [write_request(trips) for trips in range(100)])) == 100
    values = stream_client.call("FetchFeatureValues", {"featureView": RIDERS, "dataKey": {"key": "ana"}})
    features = {feature["name"]: feature["value"] for feature in values["keyValues"]["features"]}
    assert features["trips"]["int64Value"] == "99"


def test_a_refused_request_does_not_end_the_stream(stream_client: GrpcClient) -> None:
    unknown = {**fetch_request("ana"), "featureView": f"{RIDERS}_none"}
    answers = stream_client.stream(FETCH, [fetch_request("ana"), unknown, fetch_request("ben")])
    assert [answer.get("status", {}).get("code", 0) for answer in answers] == [0, 5, 0]
    types = [detail["@type"] for detail in answers[1]["status"]["details"]]
    assert types[0] == "type.googleapis.com/google.rpc.ErrorInfo"
    assert answers[1]["status"]["details"][0]["reason"] == "unknown-feature-view"


def test_bytes_of_no_message_end_the_stream_with_a_reason(stream_client: GrpcClient) -> None:
    method = stream_client.methods[FETCH]
    sound = to_request(fetch_request("ana"), method).SerializeToString()
    call = stream_client.channel.stream_stream(method.path)(iter([sound, b"\xff\xff"]), timeout=TIMEOUT)
    assert next(call)
    with pytest.raises(grpc.RpcError) as refused:
        next(call)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(refused.value) == "invalid-message"


def test_a_client_that_goes_away_leaves_the_server_as_it_was(stream_client: GrpcClient) -> None:
    for _ in range(20):
        stream = OpenStream(stream_client, FETCH)
        stream.send(fetch_request("ana"))
        stream.answer()
        stream.call.cancel()
        stream.end()
    assert stream_client.stream(FETCH, [fetch_request("ana")])


def test_a_deadline_ends_a_stream(stream_client: GrpcClient) -> None:
    method = stream_client.methods[FETCH]
    begin = time.monotonic()
    gate = threading.Event()
    call = stream_client.channel.stream_stream(method.path)(iter(lambda: gate.wait(5) and b"", b"x"), timeout=0.5)
    with pytest.raises(grpc.RpcError) as ended:
        next(call)
    gate.set()
    assert ended.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert time.monotonic() - begin < 5


def test_a_client_that_does_not_read_holds_its_own_stream_alone(tmp_path: Path) -> None:
    """The server takes no more than fits between both, however much the stream_client has to send."""
    (tmp_path / "texts.json").write_text(json.dumps({"id": "long", "text": "x" * 500_000}))
    source = {"uri": "bq://acme.serving.texts", "entityIdColumns": ["id"]}
    documents = (
        {"kind": "Source", "uri": source["uri"], "files": "texts.json", "format": "JSON"},
        {"kind": "FeatureView", "name": TEXTS, "warehouseSource": source},
    )
    with serve_grpc(tmp_path, *documents) as port:
        stream_client = GrpcClient(port)
        stream_client.call("SyncFeatureView", {"featureView": TEXTS})
        method = stream_client.methods[FETCH]
        request = to_request({"featureView": TEXTS, "dataKeys": [{"key": "long"}]}, method).SerializeToString()
        request += UNKNOWN_FIELD
        sent = 0

        def endless() -> Iterator[bytes]:
            nonlocal sent
            while True:
                sent += 1
                yield request

        call = stream_client.channel.stream_stream(method.path)(endless(), timeout=60)
        before = -1
        while before != sent:
            before = sent
            time.sleep(0.3)
        assert sent < 500
        answered = stream_client.stream(FETCH, [{"featureView": TEXTS, "dataKeys": [{"key": "long"}]}])
        assert len(answered[0]["data"]) == 1
        call.cancel()


@pytest.mark.exhaustive
@pytest.mark.parametrize(("streams", "messages"), [(20, 20), pytest.param(200, 1_000, marks=pytest.mark.timeout(600))])
def test_streams_at_once_lose_and_reorder_nothing(tmp_path: Path, streams: int, messages: int) -> None:
    method = next(one for one in service_methods(SERVING_SERVICE) if one.name == FETCH)

    async def exchange(channel: Any, keys: list[str]) -> list[str]:
        async def requests() -> AsyncIterator[bytes]:
            for key in keys:
                request = method.request(feature_view=serve_benchmark.USERS)
                request.data_keys.add().key = key
                yield request.SerializeToString()

        call = channel.stream_stream(method.path)(requests())
        return [method.response.FromString(data).data[0].data_key.key async for data in call]

    async def exchange_all(address: str, asked: list[list[str]]) -> list[list[str]]:
        async with grpc.aio.insecure_channel(address) as channel:
            return await asyncio.gather(*(exchange(channel, keys) for keys in asked))

    asked = [[f"u{(stream * 7 + at) % 1000}" for at in range(messages)] for stream in range(streams)]
    with start_server(serve_benchmark.write_workspace(tmp_path / "workspace"), grpc=True) as server:
        assert server.send("POST", f"/v1/{serve_benchmark.USERS}:sync", json={}).status_code == 200
        assert asyncio.run(exchange_all(str(server.grpc), asked)) == asked


def test_a_fault_of_metadata_is_for_its_own_call(tmp_path: Path) -> None:
    with serve_grpc(tmp_path) as port:
        failing = GrpcClient(port, metadata=[("x-trialrun-fault", "ABORTED; reason=retry-me")])
        with pytest.raises(grpc.RpcError) as caught:
            failing.call("GetFeatureView", {"name": RIDERS})
        assert (caught.value.code(), reason_of(caught.value)) == (grpc.StatusCode.ABORTED, "retry-me")
        assert GrpcClient(port).call("GetFeatureView", {"name": RIDERS})["name"] == RIDERS


def test_a_stream_breaks_after_some_messages(tmp_path: Path) -> None:
    with serve_grpc(tmp_path) as port:
        sound = GrpcClient(port)
        sound.call("SyncFeatureView", {"featureView": RIDERS})
        assert len(sound.stream("StreamingFetchFeatureValues", [REQUEST, REQUEST])) == 2
        broken = GrpcClient(port, metadata=[("x-trialrun-fault", "breakAfter=1")])
        method = broken.methods["StreamingFetchFeatureValues"]
        call = broken.channel.stream_stream(method.path)
        message = to_request(REQUEST, method).SerializeToString()
        responses = call(iter([message, message]), metadata=broken.metadata, timeout=30)
        assert next(responses)
        with pytest.raises(grpc.RpcError) as caught:
            next(responses)
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


def test_a_fault_that_is_set_by_http_happens_to_calls_by_grpc(tmp_path: Path) -> None:
    by_http = HttpClient(tmp_path)
    with serve_services(by_http.services) as port:
        fault = {"operation": "GetFeatureView", "status": "RESOURCE_EXHAUSTED", "count": 1}
        assert by_http.send("POST", "/trialrun/v1/faults", json=fault).status_code == 200
        client = GrpcClient(port)
        with pytest.raises(grpc.RpcError) as caught:
            client.call("GetFeatureView", {"name": RIDERS})
        assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert client.call("GetFeatureView", {"name": RIDERS})["name"] == RIDERS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"id": "a", "tags": ["x", None]}, {"id": "b", "tags": ["x"]}]
    (tmp_path / "tags.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


def test_by_http_in_both_formats_and_in_a_stream(folder: Path) -> None:
    client = HttpClient(folder, *DOCUMENTS)
    for view in (TAGS, RIDERS):
        assert client.send("POST", f"/v1/{view}:sync", json={}).status_code == 200
    values, struct, other = (
        client.send("POST", f"/v1/{view}:fetchFeatureValues", json={"dataKey": {"key": key}, "dataFormat": format})
        for view, key, format in ((TAGS, "a", 1), (TAGS, "a", 2), (RIDERS, "ana", 2))
    )
    assert values.json()["keyValues"]["features"] == [{"name": "tags"}]
    assert (struct.json()["protoStruct"], other.json()["protoStruct"]["trips"]) == ({"tags": None}, 12)
    (answer,) = client.send("POST", f"/v1/{TAGS}:streamingFetchFeatureValues", json=[{"dataKeys": KEYS}]).json()
    assert [len(data["keyValues"]["features"]) for data in answer["data"]] == [1, 1]


def test_by_grpc_and_in_a_stream(folder: Path) -> None:
    with serve_grpc(folder, *DOCUMENTS) as port:
        client = GrpcClient(port)
        client.call("SyncFeatureView", {"featureView": TAGS})
        values = client.call("FetchFeatureValues", {"featureView": TAGS, "dataKey": {"key": "a"}})
        method = client.methods["StreamingFetchFeatureValues"]
        request = to_request({"featureView": TAGS, "dataKeys": KEYS}, method).SerializeToString()
        (streamed,) = client.channel.stream_stream(method.path)(iter([request]), timeout=TIMEOUT)
        client.close()
    assert values["keyValues"]["features"] == [{"name": "tags"}]
    answer = to_json(method.response.FromString(streamed))
    assert answer["data"][1]["keyValues"]["features"][0]["value"]["stringArrayValue"] == {"values": ["x"]}
