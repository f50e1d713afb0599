"""Starting and ending the server: the one place that knows all its parts."""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeVar

from starlette.routing import Route

from trialrun.errors import UsageError
from trialrun.runtime.clock import Clock
from trialrun.server.access_file import AccessFile
from trialrun.server.addresses import Addresses, ReadyFile, host_and_port, welcome
from trialrun.server.bindings.binding import Services
from trialrun.server.clock import ServerClock
from trialrun.server.dialect import VendorDialect, dialect_of
from trialrun.server.http.app import build_app, metrics_route
from trialrun.server.http.body import BodyReader
from trialrun.server.http.control_routes import control_routes
from trialrun.server.http.findings import findings_route
from trialrun.server.http.guards import Guards
from trialrun.server.http.middleware import GuardedApp
from trialrun.server.http.server import run_http_server
from trialrun.server.listen import is_loopback, open_listeners
from trialrun.server.live.live_workspace import LiveWorkspace
from trialrun.server.live.routes import PageEndpoints
from trialrun.server.long_running import LongRunningOperations
from trialrun.server.metrics import Metrics
from trialrun.server.monitoring import Monitoring
from trialrun.server.options import ServerOptions
from trialrun.server.reload import FollowedDocuments, Reloader, ServedWorkspace
from trialrun.server.request_log import LineWriter, RequestLog
from trialrun.server.state import ServerState, open_state
from trialrun.server.stop_signals import INTERRUPTED_EXIT, StopSignals
from trialrun.server.sync_scheduler import SyncScheduler
from trialrun.service.channel_config.service import ChannelConfigService
from trialrun.service.error import Status
from trialrun.service.feature_view.service import FeatureViewService
from trialrun.service.feature_view.service_account import Grants
from trialrun.service.message import build_messages
from trialrun.workspace.dry_run import DryRun
from trialrun.workspace.sound_documents import SoundDocuments

Result = TypeVar("Result")
STANDARD_OUTPUT = 1
TIME_TO_READ = 0.2
"""Seconds that the reader of an output has before the server goes on without it."""
SWITCH_INTERVAL = 0.0005
"""Seconds for which a thread computes while others wait: with Python's 0.005, syncs beside an exploration of the page,
which do little between two reads and writes, took 16 s for 0.6 s of work."""


def serve(trial: DryRun, options: ServerOptions, reopen: Callable[[], ServedWorkspace] | None = None) -> int:
    """Serve a workspace until a signal ends the server; the exit code. Raises UsageError.

    `reopen` reads the settings of the workspace anew, when files have changed; without it they stay as they are.
    """
    if options.token is None and not is_loopback(options.host):
        raise UsageError(
            f"--host: {options.host} can be reached from other machines; set TRIALRUN_TOKEN or --token-file, or listen"
            " at 127.0.0.1"
        )
    sys.setswitchinterval(SWITCH_INTERVAL)
    ready_file = ReadyFile(options.ready_file) if options.ready_file else None
    with open_listeners(options.host, options.port) as listeners:
        if ready_file:
            ready_file.prepare()
        with open_state(trial, options.store) as state:
            log = RequestLog(options.log_format, is_verbose=options.is_verbose)
            with log.in_thread(TIME_TO_READ):
                return _run(lambda: _serve(trial, state, options, listeners, ready_file, reopen, log))


async def _serve(
    trial: DryRun,
    state: ServerState,
    options: ServerOptions,
    listeners: list[socket.socket],
    ready_file: ReadyFile | None,
    reopen: Callable[[], ServedWorkspace] | None,
    log: RequestLog,
) -> int:
    stop = StopSignals()
    stop.listen()
    clock = ServerClock(trial.clock.now(), options.speed)
    workspace = ServedWorkspace(trial.request, trial.options)
    documents = FollowedDocuments.read(workspace)
    http = f"http://{host_and_port(options.host, listeners[0].getsockname()[1])}"
    services = replace(build_services(workspace, documents.now, state, clock, options.access), http_address=http)
    operations = LongRunningOperations(state.journal, clock)
    reloader = Reloader(services, documents, reopen or (lambda: workspace), log)
    scheduler = SyncScheduler(services.feature_views, clock)
    live = LiveWorkspace(lambda: reloader.current(trial), clock)
    control = [
        findings_route(reloader),
        *control_routes(services, scheduler),
        *PageEndpoints(live, services.feature_views).routes(),
    ]
    monitoring = Monitoring(Metrics(), log)
    build_messages()
    gc.freeze()  # what is here now stays, and need not be looked at when garbage is collected
    services.feature_views.on_sync(lambda sync: monitoring.metrics.count_sync(Status(sync.finalStatus.code).name))
    app = _guarded_app(services, operations, control, options, monitoring)
    grpc_server = _run_grpc(services, operations, options, monitoring)
    async with run_http_server(app, listeners), grpc_server as grpc, scheduler.running(), reloader.running():
        try:
            _announce(Addresses(http, grpc), options, ready_file)
            await stop.wait()
        finally:
            if ready_file:
                ready_file.remove()
    if stop.exit_code == INTERRUPTED_EXIT:
        log.write_line("interrupted")
    return stop.exit_code


def _guarded_app(
    services: Services,
    operations: LongRunningOperations,
    control: Sequence[Route],
    options: ServerOptions,
    monitoring: Monitoring,
) -> GuardedApp:
    """The application by HTTP, with its guards; `control` are routes of the server itself."""
    routes = [metrics_route(monitoring.metrics), *control]
    app = build_app(services, operations, dialect_of(options.dialect), routes)
    return GuardedApp(app, guards_of(options), monitoring.log, monitoring.metrics, BodyReader())


@asynccontextmanager
async def _run_grpc(
    services: Services, operations: LongRunningOperations, options: ServerOptions, monitoring: Monitoring
) -> AsyncIterator[str | None]:
    """Answer calls by gRPC, where that is asked for, until the block is left; the address."""
    if options.grpc_port is None:
        yield None
        return
    from trialrun.server.grpc.calls import GrpcServices
    from trialrun.server.grpc.server import run_grpc_server

    grpc_services = GrpcServices(services, operations, VendorDialect(), options.token, monitoring)
    async with run_grpc_server(grpc_services, options.host, options.grpc_port) as port:
        yield host_and_port(options.host, port)


def guards_of(options: ServerOptions) -> Guards:
    """What a server demands of requests; one that other machines reach has names that it does not know."""
    return Guards(options.token, frozenset({options.host.lower()}) if is_loopback(options.host) else None)


def _announce(addresses: Addresses, options: ServerOptions, ready_file: ReadyFile | None) -> None:
    writer = LineWriter(STANDARD_OUTPUT)
    writer.write(welcome(addresses, token=options.token, shows_token=sys.stdout.isatty()).removesuffix("\n"))
    writer.close(TIME_TO_READ)
    if ready_file:
        ready_file.write(addresses)


def _run(main: Callable[[], Awaitable[Result]]) -> Result:
    """Run a coroutine in a loop that does not wait for threads at its end: what they compute is asked for by nobody."""
    loop = _new_loop()
    try:
        return loop.run_until_complete(main())
    finally:
        loop.close()


def _new_loop() -> asyncio.AbstractEventLoop:
    """The fastest loop that there is."""
    try:
        import uvloop
    except ImportError:  # it is not made for Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def build_services(
    workspace: ServedWorkspace,
    documents: SoundDocuments,
    state: ServerState,
    clock: Clock,
    access: AccessFile | None = None,
) -> Services:
    """The services over the documents of a workspace, and over what clients did before. Raises JournalError."""
    selection, journal, is_complete = workspace.request.profiles.whole, state.journal, documents.is_complete
    return Services(
        FeatureViewService(
            documents.views,
            state.places,
            clock=clock,
            options=workspace.options,
            selection=selection,
            access=access.control if access else None,
            grants=Grants(access.control.policies) if access else None,
            journal=journal,
            is_complete=is_complete,
        ),
        ChannelConfigService(
            documents.brands, clock=clock, selection=selection, journal=journal, is_complete=is_complete
        ),
        members=access.members if access else None,
    )


__all__ = ["build_services", "serve"]
