"""A gRPC server over the small workspace of the tests of the services, and calls of it by our own descriptors."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import json_format

from tests.service.service_fixture import service
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.server.bindings.binding import Services
from trialrun.server.dialect import VendorDialect
from trialrun.server.grpc.messages import RpcMethod, load_pool, message_class, service_methods
from trialrun.server.grpc.server import run_grpc_server
from trialrun.server.monitoring import Monitoring, RequestLog
from trialrun.server.operations import LongRunningOperations, Operations
from trialrun.service.channel_config.service import ChannelConfigService

HOST = "127.0.0.1"
ADMIN = "google.cloud.aiplatform.{}.FeatureOnlineStoreAdminService"
SERVING = "google.cloud.aiplatform.{}.FeatureOnlineStoreService"
OPERATIONS = "google.longrunning.Operations"
IAM = "google.iam.v1.IAMPolicy"
TIMEOUT = 30


@contextmanager
def serve_grpc(folder: Path, *documents: dict[str, Any]) -> Iterator[int]:
    """A server in a thread of this process; its port."""
    feature_views = service(folder, *documents)
    with serve_services(Services(feature_views, ChannelConfigService(BrandCatalog()))) as port:
        yield port


@contextmanager
def serve_services(services: Services) -> Iterator[int]:
    """A server of services in a thread of this process; its port."""
    operations = Operations(services, LongRunningOperations(), VendorDialect())
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
    return {
        "request_serializer": method.request.SerializeToString,
        "response_deserializer": method.response.FromString,
    }


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
