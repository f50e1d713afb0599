"""Faults on purpose: which calls they happen to, and what happens to them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from contextvars import ContextVar
from datetime import timedelta
from random import Random
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from trialrun.server.clock import Duration
from trialrun.server.json_body import object_json
from trialrun.service.error import ServiceError, Status, invalid_argument, service_error
from trialrun.service.lint_request import parse_request
from trialrun.service.message import Message
from trialrun.values.suggest import did_you_mean

EVERY_OPERATION = "*"
MAX_FAULTS = 100
MAX_DELAY = timedelta(minutes=1)
READS = ("FetchFeatureValues", "SearchNearestEntities", "StreamingFetchFeatureValues")
STATUS_NAMES = tuple(status.name for status in Status if status is not Status.OK)
HEADER = "x-trialrun-fault"
"""The header, or the key of metadata, with a fault for its own call alone."""
CALL_FAULT: ContextVar[str] = ContextVar("call_fault", default="")
"""What the call of this task has in that header; each way in sets it."""
MAX_HEADER_LENGTH = 4_096
PAIR = re.compile(r"\s*(\w+)\s*(?:=\s*(.*?)\s*)?")
Count = Annotated[int, Field(ge=1, le=1_000_000_000)]


def _status(value: object) -> object:
    if type(value) is int and value in {status.value for status in Status if status is not Status.OK}:
        return Status(value).name
    if isinstance(value, str) and value not in STATUS_NAMES:
        near = did_you_mean(value.upper(), STATUS_NAMES)
        raise ValueError(f'"{value}" is no status that a call fails with{near}')
    return value


def _bounded(value: timedelta) -> timedelta:
    if value > MAX_DELAY:
        raise ValueError(f"{value.total_seconds():g} seconds are too long; a delay is at most a minute")
    return value


class FaultEffect(Message):
    """What happens to a call; `afterCall` has it carried out first, so that only its response is lost.

    A stream breaks after `breakAfter` responses, with the status or UNAVAILABLE. Stale reads answer with the values
    that were served before the last sync. The delay is in seconds of the real world.
    """

    status: Annotated[str, BeforeValidator(_status)] | None = None
    message: Annotated[str, Field(max_length=1_000)] = ""
    reason: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}$")] = "injected-fault"
    delay: Annotated[Duration, AfterValidator(_bounded)] | None = None
    breakAfter: Annotated[int, Field(ge=0, le=1_000_000_000)] | None = None
    staleReads: bool = False
    afterCall: bool = False

    def require_effect(self) -> None:
        """Raise INVALID_ARGUMENT where nothing would happen."""
        if self.status is None and self.delay is None and self.breakAfter is None and not self.staleReads:
            message = "nothing would happen; send one of status, delay, breakAfter and staleReads"
            raise service_error(Status.INVALID_ARGUMENT, "missing-field", message)

    def error(self, number: str) -> ServiceError:
        """What the call fails with, for the fault of a number, empty for that of the call itself."""
        status = Status[self.status] if self.status else Status.UNAVAILABLE
        message = self.message or f"fault {number} was asked for".replace("  ", " ")
        return service_error(status, self.reason, message)


class Fault(FaultEffect):
    """A fault for the calls of an operation: the nth of them, a share of them, or all, and at most `count` times.

    Calls are counted from when the fault is set. A share is drawn by a random generator of this seed. `nth` alone
    happens once; with a count, to so many calls from the nth on.
    """

    operation: str = EVERY_OPERATION
    nth: Count | None = None
    share: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    seed: int = 0
    count: Count | None = None


def parse_fault(value: Mapping[str, Any], operations: Mapping[str, bool]) -> Fault:
    """The fault that a request asks for; `operations` are all, with whether they stream. Raises INVALID_ARGUMENT."""
    fault = parse_request(Fault, value)
    named = next((name for name in operations if name.lower() == fault.operation.lower()), None)
    if fault.operation != EVERY_OPERATION and named is None:
        near = did_you_mean(fault.operation, list(operations))
        raise invalid_argument("operation", "unknown-operation", f'there is no operation "{fault.operation}"{near}')
    fault.require_effect()
    if fault.nth is not None and fault.share is not None:
        raise invalid_argument("share", "union-conflict", "nth is set as well; send one of them")
    if named and fault.breakAfter is not None and not operations[named]:
        raise invalid_argument("breakAfter", "no-stream", f"{named} is no stream; send a status instead")
    if named and fault.staleReads and named not in READS:
        raise invalid_argument("staleReads", "no-read", f"{named} reads no values; stale are {', '.join(READS)}")
    return fault.model_copy(update={"operation": named or EVERY_OPERATION})


def parse_header(text: str) -> FaultEffect:
    """The fault for one call, as JSON or in short: `UNAVAILABLE`, `delay=2s; breakAfter=1`. Raises INVALID_ARGUMENT."""
    if len(text) > MAX_HEADER_LENGTH:
        raise invalid_argument(HEADER, "too-long", f"a fault has at most {MAX_HEADER_LENGTH:,} characters")
    value = object_json(text.encode()) if text.lstrip().startswith("{") else _short_form(text)
    try:
        effect = parse_request(FaultEffect, value)
        effect.require_effect()
    except ServiceError as error:
        raise invalid_argument(HEADER, error.reason, error.message) from error
    return effect


def _short_form(text: str) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for part in text.split(";"):
        if not part.strip():
            continue
        pair = PAIR.fullmatch(part)
        if pair is None:
            raise invalid_argument(HEADER, "wrong-type", "a fault is JSON, a status, or name=value; name=value")
        name, written = pair.groups()
        if written is None and name not in ("staleReads", "afterCall"):
            name, written = "status", name
        is_number = written is not None and re.fullmatch(r"[0-9]{1,9}", written)
        value[name] = True if written in (None, "true") else int(written) if is_number else written
    return value


class ActiveFault:
    """A fault that is set, with the calls that it was asked about and those that it happened to."""

    def __init__(self, id: str, fault: Fault) -> None:
        self.id, self.fault = id, fault
        self.calls = self.happened = 0
        self._random = Random(fault.seed)
        self._most = 1 if fault.count is None and fault.nth is not None else fault.count

    def happens_to(self, method: str) -> bool:
        """Whether it happens to the next call of an operation, which is counted."""
        fault = self.fault
        if fault.operation not in (EVERY_OPERATION, method):
            return False
        self.calls += 1
        is_drawn = fault.share is None or self._random.random() < fault.share
        is_left = self._most is None or self.happened < self._most
        is_hit = is_drawn and is_left and (fault.nth is None or self.calls >= fault.nth)
        self.happened += is_hit
        return is_hit

    def to_json(self) -> dict[str, Any]:
        """The fault as responses have it."""
        content = self.fault.model_dump(mode="json", exclude_defaults=True)
        counts = {"callCount": self.calls, "happenedCount": self.happened}
        return {"id": self.id, "operation": self.fault.operation, **content, **counts}


CallFaults = tuple[bool, int | None, ServiceError | None]
"""What happens to a call: whether it reads stale values, and after how many responses a stream breaks with what."""
NO_FAULT = nullcontext[CallFaults]((False, None, None))


class FaultList(dict[str, ActiveFault]):
    """The faults that are set on a server, by their ids; the event loop alone uses it."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def add(self, fault: Fault) -> ActiveFault:
        """Set a fault. Raises RESOURCE_EXHAUSTED where there are too many."""
        if len(self) >= MAX_FAULTS:
            message = f"{MAX_FAULTS} faults are set; delete some first"
            raise service_error(Status.RESOURCE_EXHAUSTED, "too-many-faults", message)
        self._count += 1
        active = self[str(self._count)] = ActiveFault(str(self._count), fault)
        return active

    def __missing__(self, id: str) -> ActiveFault:
        """Refuse a fault that there is not, with NOT_FOUND."""
        raise service_error(Status.NOT_FOUND, "unknown-fault", f'there is no fault "{id}"')

    def happening_to(self, method: str) -> AbstractAsyncContextManager[CallFaults]:
        """Carry out a call of an operation in the block, with what happens to it before and after.

        Of several faults the first fails the call, and the shortest break ends a stream. Raises ServiceError where the
        call is to fail, and INVALID_ARGUMENT for a wrong fault of its own.
        """
        header = CALL_FAULT.get()
        return self._happening_to(method, header) if header or self else NO_FAULT

    @asynccontextmanager
    async def _happening_to(self, method: str, header: str) -> AsyncIterator[CallFaults]:
        own = [("", parse_header(header))] if header else []
        effects = [*own, *((fault.id, fault.fault) for fault in self.values() if fault.happens_to(method))]
        if delay := sum(effect.delay.total_seconds() for _, effect in effects if effect.delay):
            await asyncio.sleep(delay)
        failing = [(id_, effect) for id_, effect in effects if effect.status and effect.breakAfter is None]
        for id_, effect in failing:
            if not effect.afterCall:
                raise effect.error(id_)
        breaks = [(effect.breakAfter, effect.error(id_)) for id_, effect in effects if effect.breakAfter is not None]
        broken = min(breaks, key=lambda each: each[0], default=(None, None))
        yield method in READS and any(effect.staleReads for _, effect in effects), *broken
        for id_, effect in failing:
            if effect.afterCall:
                raise effect.error(id_)
