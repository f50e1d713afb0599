"""The methods and messages that clients call by gRPC, in a descriptor pool of their own.

Clients that run in the same process, such as tests, register messages of the same names in the default pool; here they
never meet. The descriptors are those of `protos`, compiled by scripts/protos.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from trialrun.lazy_dataclass import dataclass

DESCRIPTORS = Path(__file__).with_name("messages.binpb")
AIPLATFORM = "google.cloud.aiplatform"
VERSIONS = ("v1", "v1beta1")


@dataclass(frozen=True)
class RpcMethod:
    """A method by its path, `/package.Service/Method`, with the types of its messages; both sides stream, or none.

    `version` is that of the API, the first one for services that have none.
    """

    name: str
    service: str
    request: type[Any]
    response: type[Any]
    is_stream: bool
    version: str

    @property
    def path(self) -> str:
        """The name by which clients call it."""
        return f"/{self.service}/{self.name}"


@cache
def load_pool() -> descriptor_pool.DescriptorPool:
    """The pool of all messages."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(DESCRIPTORS.read_bytes()).file:
        pool.Add(file)
    return pool


def message_class(name: str) -> type[Any]:
    """The class of a message by its full name."""
    found: type[Any] = message_factory.GetMessageClass(load_pool().FindMessageTypeByName(name))
    return found


def service_methods(service: str) -> Iterator[RpcMethod]:
    """The methods of a service by its full name."""
    version = service.removeprefix(f"{AIPLATFORM}.").partition(".")[0]
    for method in load_pool().FindServiceByName(service).methods:
        yield RpcMethod(
            method.name,
            service,
            message_factory.GetMessageClass(method.input_type),
            message_factory.GetMessageClass(method.output_type),
            method.client_streaming,
            version if version in VERSIONS else VERSIONS[0],
        )
