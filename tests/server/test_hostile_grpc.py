"""Hostile messages by gRPC: each is answered, or refused with a status that is planned and a reason."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.grpc_fixture import filled
from tests.service.service_fixture import MENU, RIDERS, SERVING, STORES, VECTORS

grpc = pytest.importorskip("grpc")
from tests.server.grpc_fixture import TIMEOUT, GrpcClient, reason_of, serve_grpc, status_of  # noqa: E402
from trialrun.server.grpc import server as grpc_server  # noqa: E402
from trialrun.server.grpc.messages import RpcMethod, to_message  # noqa: E402

UNPLANNED = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.DEADLINE_EXCEEDED}
VERSIONS = ("v1", "v1beta1")
TEXTS = (
    *(RIDERS, MENU, SERVING, VECTORS, STORES, f"{RIDERS}/featureViewSyncs/1", f"{RIDERS}/operations/1"),
    *(
        "riders",
        "copy",
        "ana",
        "trips",
        "vector",
        "cuisine",
        "bq://acme.serving.riders",
        "0 4 * * *",
        "featureViews.get",
    ),
    *("", "x" * 5_000, "../../etc/passwd", "\x00", "a/b", "\U0001f600", "projects/-/locations/-", "*", "labels.a b"),
)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with serve_grpc(tmp_path_factory.mktemp("workspace")) as port:
        for view in (RIDERS, MENU):
            GrpcClient(port).call("SyncFeatureView", {"featureView": view})
        yield port


def random_bytes(method: RpcMethod, choose: random.Random) -> bytes:
    """Bytes for a method: a message of its own, one of another method, a damaged one, or none."""
    value = filled(method.request.DESCRIPTOR, choose, TEXTS)
    data = bytearray(to_message(value, method.request).SerializeToString())
    match choose.randint(0, 9):
        case 0:
            return choose.randbytes(choose.randint(0, 200))
        case 1:
            return bytes(data[: choose.randint(0, len(data))])
        case 2 if data:
            data[choose.randrange(len(data))] = choose.randrange(256)
    return bytes(data)


def send(client: GrpcClient, method: RpcMethod, messages: list[bytes]) -> None:
    """Send messages to a method, and look at how it ends."""
    try:
        if method.is_stream:
            list(client.channel.stream_stream(method.path)(iter(messages), timeout=TIMEOUT))
        else:
            client.send_bytes(method.path, messages[0])
    except grpc.RpcError as error:
        assert error.code() not in UNPLANNED, f"{method.path} {messages}: {error}"
        assert reason_of(error), f"{method.path} {messages}: {error}"


@pytest.mark.parametrize(
    "count", [pytest.param(150, id="few"), pytest.param(20_000, id="many", marks=pytest.mark.exhaustive)]
)
def test_any_message_gets_a_planned_answer(port: int, count: int) -> None:
    choose = random.Random(20260301)
    clients = [GrpcClient(port, version) for version in VERSIONS]
    for _ in range(count):
        client = choose.choice(clients)
        method = choose.choice([*client.methods.values()])
        send(client, method, [random_bytes(method, choose) for _ in range(choose.randint(1, 3))])
    stores = clients[0].call("ListFeatureOnlineStores", {"parent": STORES.rpartition("/")[0]})
    assert [store["name"] for store in stores["featureOnlineStores"]] == [SERVING, VECTORS]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_empty_message_of_every_method_gets_a_planned_answer(port: int, version: str) -> None:
    client = GrpcClient(port, version)
    for method in client.methods.values():
        send(client, method, [b""])


@pytest.mark.parametrize(
    "path", ["/x", "/google.cloud.aiplatform.v2.S/M", "/google.cloud.location.Locations/GetLocation"]
)
def test_a_method_that_there_is_not_is_unimplemented(port: int, path: str) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        GrpcClient(port).send_bytes(path, b"\xff")
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert reason_of(refused.value) == "unknown-method"


def require_bound(port: int, megabytes: int) -> None:
    """A little less than so many megabytes are answered, and a little more are refused."""
    client = GrpcClient(port)
    method = client.methods["FetchFeatureValues"]
    half = method.request(feature_view=RIDERS)
    half.data_key.key = "a" * ((megabytes - 1) * 1024 * 1024)
    send(client, method, [half.SerializeToString()])
    half.data_key.key = "a" * ((megabytes + 1) * 1024 * 1024)
    with pytest.raises(grpc.RpcError) as refused:
        client.send_bytes(method.path, half.SerializeToString())
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.exhaustive
def test_messages_may_have_32_megabytes(port: int) -> None:
    require_bound(port, 32)


def test_messages_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another number than the one that gRPC has of its own, which is 4 MB."""
    options = {**dict(grpc_server.OPTIONS), "grpc.max_receive_message_length": 6 * 1024 * 1024}
    assert dict(grpc_server.OPTIONS)["grpc.max_receive_message_length"] == 32 * 1024 * 1024
    monkeypatch.setattr(grpc_server, "OPTIONS", tuple(options.items()))
    with serve_grpc(tmp_path) as port:
        require_bound(port, 6)


def test_a_message_of_very_many_fields_is_refused_before_it_is_read(port: int) -> None:
    method = GrpcClient(port, "v1beta1").methods["StreamingFetchFeatureValues"]
    path, view = method.path, bytes([10, len(RIDERS)]) + RIDERS.encode()
    with pytest.raises(grpc.RpcError) as refused:
        client = GrpcClient(port, "v1beta1")
        list(client.channel.stream_stream(path)(iter([view + b"\x12\x00" * 300_000]), timeout=30))
    assert reason_of(refused.value) == "too-many-values"


def test_a_refusal_with_very_many_details_arrives(port: int) -> None:
    """Clients refuse trailers of more than 8 KB; as much is sent as fits."""
    labels = {f"Label {number} {'é' * 50}": "Bad" for number in range(60)}
    view: dict[str, Any] = {"bigQuerySource": {"uri": "x" * 10_000}, "labels": labels}
    with pytest.raises(grpc.RpcError) as refused:
        GrpcClient(port).call("CreateFeatureView", {"parent": SERVING, "featureViewId": "b", "featureView": view})
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    status = status_of(refused.value)
    assert [detail["@type"].rpartition(".")[2] for detail in status["details"]] == ["ErrorInfo", "BadRequest"]
    assert len(status["details"][1]["fieldViolations"]) > 1
    assert sum(len(name) + len(value) for name, value in refused.value.trailing_metadata()) < 8_000


@pytest.mark.parametrize("name", ["x" * 100_000, "é" * 50_000, "\U0001f600" * 30_000])
def test_a_refusal_with_a_very_long_name_arrives(port: int, name: str) -> None:
    client = GrpcClient(port)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("GetFeatureView", {"name": f"{SERVING}/featureViews/{name}"}),
        ("GetOperation", {"name": name}),
        ("FetchFeatureValues", {"featureView": RIDERS, "dataKey": {"key": name}}),
        ("ListFeatureViews", {"parent": SERVING, "filter": name}),
        ("CreateFeatureView", {"parent": SERVING, "featureViewId": name, "featureView": {"labels": {name: name}}}),
    ]
    for method, request in calls:
        with pytest.raises(grpc.RpcError) as refused:
            client.call(method, request)
        assert refused.value.code() in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT), method
        assert reason_of(refused.value), method
