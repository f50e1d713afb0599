"""Carrying out an operation of the tables: the same for requests by HTTP and by gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from pydantic import BaseModel

from trialrun.model.node import Node
from trialrun.server.bindings.binding import Binding, Json, Services, StreamBinding
from trialrun.server.dialect.interface import Dialect
from trialrun.service.caller import Caller
from trialrun.service.message import Message
from trialrun.service.parse_request import parse_request
from trialrun.service.resource_json import to_json


async def run_operation(binding: Binding, request: Json, services: Services, caller: Caller, dialect: Dialect) -> Json:
    """The response to a request, as JSON in the words of a dialect. Raises ServiceError."""
    response = await binding.call(services, _read(binding, request, dialect), caller)
    answer = getattr(response, binding.response_field) if binding.response_field else response
    return dialect.write_response(binding, response_json(answer))


async def run_stream(
    binding: StreamBinding, requests: AsyncIterator[Json], services: Services, caller: Caller, dialect: Dialect
) -> AsyncIterator[Json]:
    """The responses to a stream of requests, as JSON in the words of a dialect. Raises ServiceError."""

    async def messages() -> AsyncIterator[Message]:
        async for request in requests:
            yield _read(binding, request, dialect)

    async for response in binding.call(services, messages(), caller):
        yield dialect.write_response(binding, response_json(response))


def _read(binding: Binding | StreamBinding, request: Json, dialect: Dialect) -> Message:
    return parse_request(binding.request, binding.prepare(dialect.read_request(binding, request)))


def response_json(answer: BaseModel) -> Json:
    """A response as JSON: a resource with all that is set, a message with all that is not null."""
    if isinstance(answer, Node):
        return to_json(answer)
    found: dict[str, Any] = answer.model_dump(mode="json", exclude_none=True)
    return found


__all__ = ["response_json", "run_operation", "run_stream"]
