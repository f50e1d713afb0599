"""How clients call an operation: verb and path by HTTP, names by gRPC, said on the method that carries it out.

Requests and responses are the types of the method's parameters and of its result.
"""

from __future__ import annotations

import re
from asyncio import to_thread
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, wraps
from typing import Any, ParamSpec, TypeVar, get_args, get_type_hints

from pydantic import BaseModel

from trialrun.model.node import Node
from trialrun.service.message import Message

Json = dict[str, Any]
Method = TypeVar("Method", bound=Callable[..., Any])
Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")
FIELD = re.compile(r"\{([\w.]+)=([^}]*)\}")
LOCATION = "projects/*/locations/*"
"""The pattern of the names of projects in a location."""


class Api(Enum):
    """The services that operations belong to, by the names that their gRPC methods have."""

    FEATURE_STORE_ADMIN = "FeatureOnlineStoreAdminService"
    FEATURE_STORE_SERVING = "FeatureOnlineStoreService"
    CHANNEL_CONFIG = "ChannelConfigService"


class PathTemplate:
    """A path as google.api.http writes it, without the version: `{name=projects/*/locations/*}:sync`.

    It has one field, whose value is a resource name of a fixed pattern.
    """

    def __init__(self, text: str) -> None:
        field = FIELD.search(text)
        if field is None:
            raise ValueError(f"{text}: a path needs one field in braces")
        self.field, self.pattern = field[1], field[2]
        self.after_field = text[field.end() :]
        path, _, self.custom_verb = f"{text[: field.start()]}{field[2]}{self.after_field}".partition(":")
        self.shape: tuple[str, ...] = (*path.split("/"), f":{self.custom_verb}")
        """What paths of this template have in common: their fixed segments, `*` for the others, and the custom verb."""

    def values(self, segments: tuple[str, ...]) -> Mapping[str, str]:
        """The field of a path that has this shape."""
        return {self.field: "/".join(segments[: self.pattern.count("/") + 1])}


def split_path(path: str) -> tuple[tuple[str, ...], str]:
    """The segments of a path and its custom verb, empty without one."""
    whole, _, last = path.rpartition("/")
    last, _, verb = last.rpartition(":") if ":" in last else (last, "", "")
    return (*whole.split("/"), last) if whole else (last,), verb


def shape_of(segments: tuple[str, ...], verb: str) -> tuple[str, ...]:
    """The shape that a path would have: every second segment, which is an id, as `*`."""
    shape = [*segments, f":{verb}"]
    shape[1:-1:2] = "*" * (len(segments) // 2)
    return tuple(shape)


@dataclass(frozen=True)
class Rpc:
    """An operation with one request and one response, which `run`, a method of the service, carries out.

    `path` is a template of google.api.http. A `resource` is the field that the HTTP body is, and that clients get of
    the response. `name` is that of the gRPC method where the request is not called so; `summary` then says what it is
    about. `operation` are the types of the response and of the metadata of a long-running operation. `prepare` makes
    the fields of a request of those that clients send. One that `is_stream` has streams of requests and responses; by
    HTTP each is one JSON list.
    """

    api: Api
    verb: str
    path: str
    run: Callable[..., Any]
    name: str = ""
    resource: str = ""
    operation: tuple[str, str] | None = None
    prepare: Callable[[Json], Json] | None = None
    summary: str = ""
    is_stream: bool = False

    @property
    def body(self) -> str:
        """The field that the HTTP body is, `*` for the whole request, empty for none."""
        return self.resource or ("*" if self.verb == "POST" else "")

    @cached_property
    def template(self) -> PathTemplate:
        """The path, read once."""
        return PathTemplate(self.path)

    @cached_property
    def types(self) -> Mapping[str, Any]:
        """The types of the method's parameters, and of its result as `return`."""
        return get_type_hints(self.run)

    @cached_property
    def request(self) -> type[Message]:
        """The message that the method takes, of a stream each of its messages."""
        request: type[Message] = self.types.get("request") or get_args(self.types["requests"])[0]
        return request

    @cached_property
    def response(self) -> type[BaseModel] | type[Node]:
        """The message that the method gives, of a stream each of its messages."""
        response: type[BaseModel] | type[Node] = next(iter(get_args(self.types["return"])), self.types["return"])
        return response

    @cached_property
    def method(self) -> str:
        """The name of the method by gRPC."""
        return self.name or self.request.__name__.removesuffix("Request")


DECLARATION = "rpc"
"""The attribute of a method that has its declaration."""


def rpc(api: Api, verb: str, path: str, **options: Any) -> Callable[[Method], Method]:
    """Declare that a method of a service is what clients call by a verb and a path; the options are those of Rpc."""

    def declare(method: Method) -> Method:
        setattr(method, DECLARATION, Rpc(api, verb, path, method, **options))
        return method

    return declare


def in_thread(method: Callable[Parameters, Answer]) -> Callable[Parameters, Coroutine[Any, Any, Answer]]:
    """Carry out a method that may take a while in a thread, so that others are answered meanwhile."""

    @wraps(method)
    async def carry_out(*arguments: Parameters.args, **named: Parameters.kwargs) -> Answer:
        return await to_thread(method, *arguments, **named)

    return carry_out


def rpcs_of(service: type) -> tuple[Rpc, ...]:
    """The operations that the methods of a service declare, in their order."""
    return tuple(getattr(method, DECLARATION) for method in vars(service).values() if hasattr(method, DECLARATION))
