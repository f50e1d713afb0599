"""Carrying out an operation of the tables: the same for requests by HTTP and by gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from trialrun.server.bindings.binding import Binding, Json, Services, StreamBinding
from trialrun.server.dialect.interface import Dialect
from trialrun.service.caller import Caller
from trialrun.service.error import ServiceError
from trialrun.service.message import Message
from trialrun.service.parse_request import parse_request


async def run_operation(binding: Binding, request: Json, services: Services, caller: Caller, dialect: Dialect) -> Json:
    """The response to a request, as JSON in the words of a dialect. Raises ServiceError."""
    with _words_of(dialect, binding, request):
        response = await binding.call(services, _read(binding, request, dialect), caller)
    answer = getattr(response, binding.response_field) if binding.response_field else response
    return dialect.write_response(answer)


async def run_stream(
    binding: StreamBinding, requests: AsyncIterator[Json], services: Services, caller: Caller, dialect: Dialect
) -> AsyncIterator[Json]:
    """The responses to a stream of requests, as JSON in the words of a dialect. Raises ServiceError."""

    async def messages() -> AsyncIterator[Message]:
        async for request in requests:
            with _words_of(dialect, binding, request):
                message = _read(binding, request, dialect)
            yield message

    async for response in binding.call(services, messages(), caller):
        yield dialect.write_response(response)


@contextmanager
def _words_of(dialect: Dialect, binding: Binding | StreamBinding, request: Json) -> Iterator[None]:
    """Refuse a request in the words of a dialect."""
    try:
        yield
    except ServiceError as error:
        raise dialect.write_error(binding, request, error) from error


def _read(binding: Binding | StreamBinding, request: Json, dialect: Dialect) -> Message:
    return parse_request(binding.request, binding.prepare(dialect.read_request(binding, request)))


__all__ = ["run_operation", "run_stream"]
