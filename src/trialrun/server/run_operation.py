"""Carrying out an operation of the tables: the same for requests by HTTP and by gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from pydantic import BaseModel

from trialrun.lazy_dataclass import dataclass
from trialrun.server.bindings.binding import Binding, Json, Services, StreamBinding
from trialrun.server.dialect.interface import Dialect
from trialrun.server.fault_list import CALL_FAULT, CallFaults
from trialrun.server.json_body import LARGE, count_values, off_loop
from trialrun.server.long_running import LongRunningOperations, typed_message
from trialrun.server.operation_metadata import operation_metadata
from trialrun.service.caller import Caller
from trialrun.service.error import ServiceError
from trialrun.service.feature_view.previous_values import stale_reads
from trialrun.service.message import Message
from trialrun.service.parse_request import parse_request


@dataclass(frozen=True)
class OperationLog:
    """Where long-running operations are kept, and the version of the API that began one."""

    operations: LongRunningOperations
    version: str


async def run_operation(binding: Binding, request: Json, services: Services, caller: Caller, dialect: Dialect) -> Json:
    """The response to a request, as JSON in the words of a dialect. Raises ServiceError."""
    response = await _call(binding, request, services, caller, dialect)
    return await _written(response, binding, request, dialect)


async def run_long_running(
    binding: Binding, request: Json, services: Services, caller: Caller, dialect: Dialect, *, log: OperationLog
) -> Json:
    """The finished operation that carried out a request. Raises ServiceError."""
    response = await _call(binding, request, services, caller, dialect)
    answer = await _written(response, binding, request, dialect)
    metadata = dialect.write_response(operation_metadata(response, log.operations.now))
    return log.operations.finish(
        str(answer.get("name") or request.get(binding.template.field)),
        typed_message(log.version, binding.operation_type, answer),
        typed_message(log.version, binding.metadata_type, metadata),
    )


async def _call(binding: Binding, request: Json, services: Services, caller: Caller, dialect: Dialect) -> BaseModel:
    faults = services.faults.of_call(binding.method, CALL_FAULT.get())
    await _begin(faults)
    async with _words_of(dialect, binding, request):
        message = await _read(binding, request, dialect)
        with stale_reads(faults.reads_are_stale):
            response: BaseModel = await binding.call(services, message, caller)
    if error := faults.error(after_call=True):
        raise error
    return response


async def run_stream(
    binding: StreamBinding, requests: AsyncIterator[Json], services: Services, caller: Caller, dialect: Dialect
) -> AsyncGenerator[Json]:
    """The responses to a stream of requests, as JSON in the words of a dialect. Raises ServiceError."""
    faults = services.faults.of_call(binding.method, CALL_FAULT.get())
    await _begin(faults)
    left, broken = faults.break_after() or (None, None)
    are_large = [False]

    async def messages() -> AsyncGenerator[Message]:
        async for request in requests:
            async with _words_of(dialect, binding, request):
                message = await _read(binding, request, dialect)
            are_large.append(_is_large(request))
            yield message

    async with aclosing(messages()) as sent, aclosing(binding.call(services, sent, caller)) as responses:
        while left is None or left > 0:
            with stale_reads(faults.reads_are_stale):
                response = await anext(responses, None)
            if response is None:
                broken = None  # it ended before
                break
            yield await off_loop(dialect.write_response, response, is_large=are_large[-1])
            left = None if left is None else left - 1
    if error := broken or faults.error(after_call=True):
        raise error


async def _begin(faults: CallFaults) -> None:
    """Let happen to a call what happens before it is carried out. Raises ServiceError."""
    if faults.delay:
        await asyncio.sleep(faults.delay)
    if error := faults.error(after_call=False):
        raise error


@asynccontextmanager
async def _words_of(dialect: Dialect, binding: Binding | StreamBinding, request: Json) -> AsyncIterator[None]:
    """Refuse a request in the words of a dialect."""
    try:
        yield
    except ServiceError as error:
        raise await off_loop(dialect.write_error, binding, request, error, is_large=_is_large(request)) from error


async def _read(binding: Binding | StreamBinding, request: Json, dialect: Dialect) -> Message:
    return await off_loop(_parsed, binding, request, dialect, is_large=_is_large(request))


def _parsed(binding: Binding | StreamBinding, request: Json, dialect: Dialect) -> Message:
    return parse_request(binding.request, binding.prepare(dialect.read_request(binding, request)))


async def _written(response: BaseModel, binding: Binding, request: Json, dialect: Dialect) -> Json:
    answer = getattr(response, binding.response_field) if binding.response_field else response
    return await off_loop(dialect.write_response, answer, is_large=_is_large(request))


def _is_large(request: Json) -> bool:
    return count_values(request, LARGE) >= LARGE


__all__ = ["OperationLog", "run_long_running", "run_operation", "run_stream"]
