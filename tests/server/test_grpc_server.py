"""The server by gRPC: how it listens and ends, its messages and their JSON, and hostile messages."""

import math
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc", reason="needs grpc; run pip install '.[grpc]'")
import grpc
from google.protobuf import descriptor_pb2, json_format

from scripts import protos
from tests.cases import each_of
from tests.program import own_environment, run_here
from tests.server.grpc_fixture import TIMEOUT, GrpcClient, filled, reason_of, serve_grpc, status_of
from tests.server.server_process import RunningServer, start_server, write_workspace
from tests.server.test_reload import wait_until
from tests.service.service_fixture import MENU, RIDERS, SERVING, SOURCE, STORES, VECTORS
from trialrun.server.grpc import server as grpc_server
from trialrun.server.grpc.messages import (
    AIPLATFORM,
    DESCRIPTORS,
    RpcMethod,
    load_pool,
    message_class,
    parse_message,
    to_message,
)
from trialrun.service.error import ServiceError

TOKEN = "0123456789abcdef-secret"
BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return write_workspace(tmp_path / "workspace")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with a token, for the tests that do not end it."""
    workspace = write_workspace(tmp_path_factory.mktemp("grpc") / "workspace")
    with start_server(workspace, "--verbose", grpc=True, environment={"TRIALRUN_TOKEN": TOKEN}) as running:
        yield running


def client_of(address: str | None, **metadata: str) -> GrpcClient:
    assert address
    return GrpcClient(int(address.rpartition(":")[2]), metadata=metadata.items())


def test_a_server_says_where_it_answers_by_grpc(server: RunningServer) -> None:
    assert client_of(server.grpc, **BEARER).call("GetFeatureView", {"name": RIDERS})["name"] == RIDERS
    assert server.ready["environment"]["TRIALRUN_GRPC_ENDPOINT"] == server.grpc
    assert f'grpc.insecure_channel("{server.grpc}")' in server.log


def test_a_health_check_needs_no_token(server: RunningServer) -> None:
    assert client_of(server.grpc).send_bytes("/grpc.health.v1.Health/Check", b"") == b"\x08\x01"
    assert client_of(server.grpc).send_bytes("/grpc.health.v1.Health/Check", b"\x0a\x01x") == b"\x08\x01"


@pytest.mark.exhaustive
def test_a_server_ends_at_once_while_a_stream_is_open(workspace: Path) -> None:
    with start_server(workspace, grpc=True) as server:
        client = client_of(server.grpc)
        method = client.methods["FeatureViewDirectWrite"]
        stream = client.channel.stream_stream(method.path)(_endless(), timeout=60)
        client.call("GetFeatureView", {"name": RIDERS})
        begin = time.monotonic()
        assert server.stop(signal.SIGTERM) == 0
        assert time.monotonic() - begin < 5
        stream.cancel()
        assert "Traceback" not in server.log and "Task was destroyed" not in server.log


def _endless() -> object:
    while True:
        time.sleep(0.1)
        yield b""


def test_a_port_in_use_is_named(server: RunningServer, workspace: Path) -> None:
    port = str(server.grpc).rpartition(":")[2]
    ran = run_here(("serve", "--grpc-port", port), workspace, own_environment(workspace))
    assert (ran.code, ran.out) == (2, "")
    assert f"--grpc-port: port {port} of 127.0.0.1 is in use" in ran.err


@pytest.mark.parametrize("metadata", [BEARER, {"x-trialrun-token": TOKEN}])
def test_the_token_opens_the_server(server: RunningServer, metadata: dict[str, str]) -> None:
    assert client_of(server.grpc, **metadata).call("GetFeatureView", {"name": RIDERS})["name"] == RIDERS
    for name in ("GetFeatureView", "GetOperation"):
        with pytest.raises(grpc.RpcError) as refused:
            client_of(server.grpc).call(name, {"name": RIDERS})
        assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
        assert reason_of(refused.value) == "token-required"


def number_of_calls(numbers: str, operation: str, status: str) -> float:
    """How many calls of an operation ended with a status, as the metrics of a server say."""
    count = f'trialrun_requests_total{{operation="{operation}",protocol="grpc",status="{status}"}} '
    return sum(float(line.removeprefix(count)) for line in numbers.splitlines() if line.startswith(count))


def wait_for_calls(server: RunningServer) -> str:
    """The metrics of a server once no call is in flight: calls are counted after their answers."""
    idle = 'trialrun_requests_in_flight{protocol="grpc"} 0.0'
    wait_until(lambda: idle in server.send("GET", "/metrics", headers=BEARER).text)
    return server.send("GET", "/metrics", headers=BEARER).text


def test_calls_are_logged_and_counted(server: RunningServer) -> None:
    client = client_of(server.grpc, **BEARER)
    client.call("GetFeatureView", {"name": RIDERS})
    before, logged_before = wait_for_calls(server), len(server.log)
    client.call("GetFeatureView", {"name": RIDERS})
    client.stream("FeatureViewDirectWrite", [])
    with pytest.raises(grpc.RpcError):
        client.call("GetFeatureView", {"name": f"{RIDERS}_none"})
    with pytest.raises(grpc.RpcError):
        client.send_bytes("/no/Method", b"")
    numbers = wait_for_calls(server)
    wait_until(lambda: "/no/Method" in server.log[logged_before:])
    log = server.log[logged_before:]
    service = "/google.cloud.aiplatform.v1.FeatureOnlineStoreAdminService"
    assert f"gRPC {service}/GetFeatureView OK " in log
    assert re.search(f"gRPC {service}/GetFeatureView NOT_FOUND .* ms GetFeatureView unknown-feature-view: ", log)
    for operation, status in (("GetFeatureView", "OK"), ("GetFeatureView", "NOT_FOUND"), ("other", "UNIMPLEMENTED")):
        assert number_of_calls(numbers, operation, status) - number_of_calls(before, operation, status) == 1
    assert 'trialrun_streams_open{operation="FeatureViewDirectWrite"} 0.0' in numbers
    assert 'trialrun_requests_in_flight{protocol="grpc"} 0.0' in numbers


def test_an_operation_that_began_by_http_has_the_words_of_grpc(server: RunningServer) -> None:
    view = {"warehouseSource": SOURCE}
    path = f"/v1/{SERVING}/featureViews?featureViewId=copy"
    operation = server.send("POST", path, json=view, headers=BEARER).json()
    read = client_of(server.grpc, **BEARER).call("GetOperation", {"name": operation["name"]})
    assert read["response"]["bigQuerySource"] == SOURCE


def test_a_server_without_grpc_does_not_load_it() -> None:
    program = (
        "import sys, trialrun.server.start, trialrun.server.http.routes\n"
        "print([name for name in sys.modules if name.startswith(('grpc', 'trialrun.server.grpc'))])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


V1 = f"{AIPLATFORM}.v1"
REQUESTS = ("CreateFeatureViewRequest", "SearchNearestEntitiesRequest", "FeatureViewDirectWriteRequest")
RESPONSES = ("FeatureView", "FetchFeatureValuesResponse", "StreamingFetchFeatureValuesResponse", "FeatureViewSync")


def json_of(message: Any) -> dict[str, Any]:
    """What a server reads of a request."""
    return parse_message(message.SerializeToString(), type(message))


@each_of([*REQUESTS, *RESPONSES])
def test_json_is_that_of_the_library(name: str) -> None:
    message_type = message_class(f"{V1}.{name}")
    choose = random.Random(name)
    for _ in range(100):
        value = filled(message_type.DESCRIPTOR, choose)
        expected = json_format.ParseDict(value, message_type(), descriptor_pool=load_pool())
        assert to_message(value, message_type).SerializeToString(deterministic=True) == expected.SerializeToString(
            deterministic=True
        )
        if name in REQUESTS:
            assert json_of(expected) == json_format.MessageToDict(expected, descriptor_pool=load_pool())


@each_of([0.1, 9.99, 1 / 3, 16777216.0, 3.4028235e38, 1e-45, math.nan, math.inf])
def test_a_number_of_32_bits_is_as_short_as_the_library_writes_it(value: float) -> None:
    filters = {"query": {"numericFilters": [{"valueFloat": value}]}}
    message = to_message(filters, message_class(f"{V1}.SearchNearestEntitiesRequest"))
    assert json_of(message) == json_format.MessageToDict(message, descriptor_pool=load_pool())


def test_a_mask_keeps_its_paths() -> None:
    message = message_class(f"{V1}.UpdateFeatureViewRequest")()
    message.update_mask.paths.extend(["sync_config.cron", "syncConfig.continuous", "labels.my_team"])
    assert json_of(message) == {"updateMask": "sync_config.cron,syncConfig.continuous,labels.my_team"}


def test_what_a_message_has_no_field_for_is_left_out() -> None:
    value = {"name": "n", "assumptions": ["x"], "syncSummary": {"rowsRead": "3", "rowSynced": "2"}}
    message = to_message(value, message_class(f"{V1}.FeatureViewSync"))
    assert json_of(message) == {"name": "n", "syncSummary": {"rowSynced": "2"}}


def test_half_a_character_is_replaced() -> None:
    message = to_message({"name": "a\ud800", "labels": {"\udfff": "é"}}, message_class(f"{V1}.FeatureView"))
    assert json_of(message) == {"name": "a?", "labels": {"?": "é"}}


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05ab", b"\x0a\x01\xff", b"\x0a" * 1000])
def test_bytes_of_no_message_are_refused(data: bytes) -> None:
    with pytest.raises(ServiceError) as refused:
        parse_message(data, message_class(f"{V1}.GetFeatureViewRequest"))
    assert refused.value.reason == "invalid-message"


def test_a_time_that_there_is_not_is_refused() -> None:
    message = message_class(f"{V1}.CreateFeatureViewRequest")()
    message.feature_view.create_time.seconds = 2**62
    with pytest.raises(ServiceError) as refused:
        json_of(message)
    assert refused.value.reason == "invalid-message"


def test_a_message_of_an_unknown_type_is_named_alone() -> None:
    response = {"@type": "type.googleapis.com/google.cloud.aiplatform.v9.FeatureView", "name": "n"}
    message = to_message({"name": "o", "response": response}, message_class("google.longrunning.Operation"))
    assert (message.response.type_url, message.response.value) == (response["@type"], b"")


def test_the_compiled_messages_are_those_of_the_files() -> None:
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    compiled = descriptor_pb2.FileDescriptorSet.FromString(protos.compile_protos())
    checked_in = descriptor_pb2.FileDescriptorSet.FromString(DESCRIPTORS.read_bytes())
    assert [file for file in compiled.file if not file.name.startswith("google/")] == [
        file for file in checked_in.file if not file.name.startswith("google/")
    ], "run python scripts/protos.py"


UNPLANNED = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.DEADLINE_EXCEEDED}
VERSIONS = ("v1", "v1beta1")
TEXTS = (
    *(RIDERS, MENU, SERVING, VECTORS, STORES, f"{RIDERS}/featureViewSyncs/1", f"{RIDERS}/operations/1"),
    *["riders", "copy", "ana", "trips", "vector", "cuisine", "bq://acme.serving.riders", "featureViews.get"],
    "0 4 * * *",
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
