"""A gRPC server over the small workspace of the tests of the services, its calls, and random messages."""

import asyncio
import random
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from tests.service.service_fixture import service
from trialrun.runtime.clock import SystemClock
from trialrun.runtime.declaration import BrandCatalog
from trialrun.server.dialect import VendorDialect
from trialrun.server.grpc.messages import RpcMethod, load_pool, message_class, service_methods
from trialrun.server.grpc.server import run_grpc_server
from trialrun.server.monitoring import Monitoring, RequestLog
from trialrun.server.operations import LongRunningOperations, Operations, Services
from trialrun.service.channel_config.service import ChannelConfigService
from trialrun.service.journal import Journal

HOST = "127.0.0.1"
ADMIN = "google.cloud.aiplatform.{}.FeatureOnlineStoreAdminService"
SERVING = "google.cloud.aiplatform.{}.FeatureOnlineStoreService"
OPERATIONS = "google.longrunning.Operations"
IAM = "google.iam.v1.IAMPolicy"
TIMEOUT = 30
DEPTH = 5
TEXTS = ("aGk=", "", "é")


@contextmanager
def serve_grpc(folder: Path, *documents: dict[str, Any]) -> Iterator[int]:
    """A server in a thread of this process; its port."""
    with serve_services(Services(service(folder, *documents), ChannelConfigService(BrandCatalog()))) as port:
        yield port


@contextmanager
def serve_services(services: Services) -> Iterator[int]:
    """A server of services in a thread of this process; its port."""
    operations = Operations(services, LongRunningOperations(Journal(), SystemClock()), VendorDialect())
    log = RequestLog()
    log.write_line = lambda line: None
    loop = asyncio.new_event_loop()
    started, stop = threading.Event(), asyncio.Event()
    ports: list[int] = []

    async def main() -> None:
        async with run_grpc_server(operations, None, Monitoring(log), HOST, 0) as port:
            ports.append(port)
            started.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(main(),))
    thread.start()
    try:
        assert started.wait(TIMEOUT)
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(TIMEOUT)
        loop.close()


class GrpcClient:
    """Calls methods with JSON and gives answers as JSON."""

    def __init__(self, port: int, version: str = "v1", metadata: Iterable[tuple[str, str]] = ()) -> None:
        self.channel = grpc.insecure_channel(f"{HOST}:{port}")
        self.version = version
        self.metadata = list(metadata)
        names = (ADMIN.format(version), SERVING.format(version), OPERATIONS, IAM)
        self.methods = {method.name: method for name in names for method in service_methods(name)}

    def call(self, name: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a call. Raises grpc.RpcError."""
        method = self.methods[name]
        call = self.channel.unary_unary(method.path, **_serializers(method))
        return to_json(call(to_request(request, method), metadata=self.metadata, timeout=TIMEOUT))

    def stream(self, name: str, requests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """All answers of a stream. Raises grpc.RpcError."""
        method = self.methods[name]
        call = self.channel.stream_stream(method.path, **_serializers(method))
        sent = (to_request(request, method) for request in requests)
        return [to_json(answer) for answer in call(sent, metadata=self.metadata, timeout=TIMEOUT)]

    def send_bytes(self, path: str, data: bytes) -> bytes:
        """The answer to a call with any bytes. Raises grpc.RpcError."""
        answer: bytes = self.channel.unary_unary(path)(data, metadata=self.metadata, timeout=TIMEOUT)
        return answer

    def close(self) -> None:
        """Close the connection."""
        self.channel.close()


def _serializers(method: RpcMethod) -> dict[str, Any]:
    return {"request_serializer": method.request.SerializeToString, "response_deserializer": method.response.FromString}


def to_request(request: dict[str, Any], method: RpcMethod) -> Any:
    """A request as a message; a mask is a text as it is sent, in any spelling."""
    request = dict(request)
    mask = request.pop("updateMask", "")
    message = json_format.ParseDict(request, method.request(), descriptor_pool=load_pool())
    if mask:
        message.update_mask.paths.extend(mask.split(","))
    return message


def to_json(message: Any) -> dict[str, Any]:
    """A message as JSON."""
    found: dict[str, Any] = json_format.MessageToDict(message, descriptor_pool=load_pool())
    return found


def status_of(error: grpc.RpcError) -> dict[str, Any]:
    """The status of a refused call as JSON, with its details."""
    trailers = dict(error.trailing_metadata() or ())
    return to_json(message_class("google.rpc.Status").FromString(trailers["grpc-status-details-bin"]))


def reason_of(error: grpc.RpcError) -> str:
    """Why a call is refused, in one word."""
    return next(detail["reason"] for detail in status_of(error)["details"] if detail["@type"].endswith("ErrorInfo"))


def filled(
    descriptor: Descriptor, choose: random.Random, texts: Sequence[str] = TEXTS, depth: int = 0
) -> dict[str, Any]:
    """Random JSON for a message, at most one member of each union."""
    chosen = {field.json_name: field for field in descriptor.fields if choose.random() < 0.7}
    unions = {field.containing_oneof.name: name for name, field in chosen.items() if field.containing_oneof}
    is_kept = {name for name, field in chosen.items() if not field.containing_oneof} | set(unions.values())
    values = {name: random_value(field, choose, texts, depth) for name, field in chosen.items() if name in is_kept}
    return {name: value for name, value in values.items() if value is not None}


def random_value(field: FieldDescriptor, choose: random.Random, texts: Sequence[str], depth: int) -> Any:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return {"team": "a", "é": ""}
    if field.is_repeated:
        items = [single_value(field, choose, texts, depth) for _ in range(choose.randint(0, 3))]
        return [item for item in items if item is not None]
    return single_value(field, choose, texts, depth)


def single_value(field: FieldDescriptor, choose: random.Random, texts: Sequence[str], depth: int) -> Any:
    if field.message_type is not None:
        name = field.message_type.full_name
        if name == "google.protobuf.Any":
            return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "r", "metadata": {"a": "b"}}
        if name == "google.protobuf.Timestamp":
            return choose.choice(["2026-03-01T08:00:00Z", "1969-12-31T23:59:59.999999Z", "0001-01-01T00:00:00Z"])
        if name == "google.protobuf.Struct":
            return {"a": 1.5, "b": None, "c": ["x", {"d": True}], "e": {}}
        return filled(field.message_type, choose, texts, depth + 1) if depth < DEPTH else None
    if field.enum_type is not None:
        return choose.choice(field.enum_type.values).name
    if field.type == FieldDescriptor.TYPE_BYTES:
        return choose.choice(["aGk=", ""])
    choices: dict[int, Sequence[Any]] = {
        FieldDescriptor.CPPTYPE_INT32: [0, 1, -(2**31)],
        FieldDescriptor.CPPTYPE_INT64: ["0", "7", str(2**63 - 1)],
        FieldDescriptor.CPPTYPE_DOUBLE: [0.0, 1.5, 0.1, "NaN", "-Infinity"],
        FieldDescriptor.CPPTYPE_FLOAT: [0.0, 1.5, 1024.0],
        FieldDescriptor.CPPTYPE_BOOL: [True, False],
        FieldDescriptor.CPPTYPE_STRING: texts,
    }
    return choose.choice(choices[field.cpp_type])
