"""Streams by gRPC: their order, their end, and clients that go away or do not read."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import serve_grpc as serve_grpc_benchmark
from tests.server.server_process import start_server
from tests.service.service_fixture import RIDERS, SERVING

grpc = pytest.importorskip("grpc")
from tests.server.grpc_fixture import TIMEOUT, GrpcClient, reason_of, serve_grpc, to_json, to_request  # noqa: E402

FETCH = "StreamingFetchFeatureValues"
WRITE = "FeatureViewDirectWrite"
TEXTS = f"{SERVING}/featureViews/texts"
UNKNOWN_FIELD = b"\xc2\x3e\x80\x80\x08" + b" " * 2**17
"""The field 1000 of a message, which no message has, with 128 KB: a request that is large and little work."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[GrpcClient]:
    with serve_grpc(tmp_path) as port:
        client = GrpcClient(port)
        client.call("SyncFeatureView", {"featureView": RIDERS})
        yield client
        client.close()


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


def test_each_request_is_answered_before_the_next_is_sent(client: GrpcClient) -> None:
    stream = OpenStream(client, FETCH)
    for key in ("ana", "ben", "ana"):
        stream.send(fetch_request(key))
        assert stream.answer()["data"][0]["dataKey"] == {"key": key}
    stream.end()
    assert list(stream.call) == []
    assert stream.call.code() is grpc.StatusCode.OK


def test_a_stream_that_is_ended_gets_the_answers_that_are_left(client: GrpcClient) -> None:
    keys = ["ana", "ben", "ben", "ana"] * 25
    answers = client.stream(FETCH, [fetch_request(key) for key in keys])
    assert [answer["data"][0]["dataKey"]["key"] for answer in answers] == keys
    assert client.stream(FETCH, []) == []


def test_writes_have_the_order_in_which_they_are_sent(client: GrpcClient) -> None:
    answers = client.stream(WRITE, [write_request(trips) for trips in range(100)])
    assert len(answers) == 100
    values = client.call("FetchFeatureValues", {"featureView": RIDERS, "dataKey": {"key": "ana"}})
    features = {feature["name"]: feature["value"] for feature in values["keyValues"]["features"]}
    assert features["trips"]["int64Value"] == "99"


def test_a_refused_request_does_not_end_the_stream(client: GrpcClient) -> None:
    unknown = {**fetch_request("ana"), "featureView": f"{RIDERS}_none"}
    answers = client.stream(FETCH, [fetch_request("ana"), unknown, fetch_request("ben")])
    assert [answer.get("status", {}).get("code", 0) for answer in answers] == [0, 5, 0]
    types = [detail["@type"] for detail in answers[1]["status"]["details"]]
    assert types[0] == "type.googleapis.com/google.rpc.ErrorInfo"
    assert answers[1]["status"]["details"][0]["reason"] == "unknown-feature-view"


def test_bytes_of_no_message_end_the_stream_with_a_reason(client: GrpcClient) -> None:
    method = client.methods[FETCH]
    sound = to_request(fetch_request("ana"), method).SerializeToString()
    call = client.channel.stream_stream(method.path)(iter([sound, b"\xff\xff"]), timeout=TIMEOUT)
    assert next(call)
    with pytest.raises(grpc.RpcError) as refused:
        next(call)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(refused.value) == "invalid-message"


def test_a_client_that_goes_away_leaves_the_server_as_it_was(client: GrpcClient) -> None:
    for _ in range(20):
        stream = OpenStream(client, FETCH)
        stream.send(fetch_request("ana"))
        stream.answer()
        stream.call.cancel()
        stream.end()
    assert client.stream(FETCH, [fetch_request("ana")])


def test_a_deadline_ends_a_stream(client: GrpcClient) -> None:
    method = client.methods[FETCH]
    begin = time.monotonic()
    gate = threading.Event()
    call = client.channel.stream_stream(method.path)(iter(lambda: gate.wait(5) and b"", b"x"), timeout=0.5)
    with pytest.raises(grpc.RpcError) as ended:
        next(call)
    gate.set()
    assert ended.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert time.monotonic() - begin < 5


def test_a_client_that_does_not_read_holds_its_own_stream_alone(tmp_path: Path) -> None:
    """The server takes no more than fits between both, however much the client has to send."""
    (tmp_path / "texts.json").write_text(json.dumps({"id": "long", "text": "x" * 500_000}))
    source = {"uri": "bq://acme.serving.texts", "entityIdColumns": ["id"]}
    documents = (
        {"kind": "Source", "uri": source["uri"], "files": "texts.json", "format": "JSON"},
        {"kind": "FeatureView", "name": TEXTS, "warehouseSource": source},
    )
    with serve_grpc(tmp_path, *documents) as port:
        client = GrpcClient(port)
        client.call("SyncFeatureView", {"featureView": TEXTS})
        method = client.methods[FETCH]
        request = to_request({"featureView": TEXTS, "dataKeys": [{"key": "long"}]}, method).SerializeToString()
        request += UNKNOWN_FIELD
        sent = 0

        def endless() -> Iterator[bytes]:
            nonlocal sent
            while True:
                sent += 1
                yield request

        call = client.channel.stream_stream(method.path)(endless(), timeout=60)
        before = -1
        while before != sent:
            before = sent
            time.sleep(0.3)
        assert sent < 500
        answered = client.stream(FETCH, [{"featureView": TEXTS, "dataKeys": [{"key": "long"}]}])
        assert len(answered[0]["data"]) == 1
        call.cancel()


def test_streams_at_once_have_their_own_answers(client: GrpcClient) -> None:
    streams = [OpenStream(client, FETCH) for _ in range(20)]
    keys = [["ana", "ben", "ben"][number % 3 :] * 5 for number in range(20)]
    for at in range(5):
        for stream, of_stream in zip(streams, keys, strict=True):
            stream.send(fetch_request(of_stream[at]))
    for stream in streams:
        stream.end()
    got = [[stream.answer()["data"][0]["dataKey"]["key"] for _ in range(5)] for stream in streams]
    assert got == [of_stream[:5] for of_stream in keys]
    assert [list(stream.call) for stream in streams] == [[]] * 20


@pytest.mark.exhaustive
@pytest.mark.parametrize(("streams", "messages"), [(20, 20), pytest.param(200, 1_000, marks=pytest.mark.timeout(600))])
def test_streams_at_once_lose_and_reorder_nothing(tmp_path: Path, streams: int, messages: int) -> None:
    with start_server(serve_grpc_benchmark.write_workspace(tmp_path / "workspace"), grpc=True) as server:
        serve_grpc_benchmark.sync(str(server.grpc))
        result = serve_grpc_benchmark.exchange_streams(str(server.grpc), streams, messages)
    assert (result.lost, result.reordered) == (0, 0)
