"""Starting and ending the server: the one place that knows all its parts."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

from trialrun.errors import StoreError, UsageError
from trialrun.runtime.clock import Clock
from trialrun.runtime.feature_view.trial_run import StoreLocations
from trialrun.server.access import AccessFile
from trialrun.server.addresses import Addresses, ReadyFile, host_and_port, is_loopback, open_listeners, welcome
from trialrun.server.clock import ServerClock, SyncScheduler
from trialrun.server.dialect import DIALECTS, DialectName
from trialrun.server.http.guards import BodyReader, GuardedApp, Guards
from trialrun.server.http.routes import build_app, control_routes, monitoring_routes
from trialrun.server.http.server import run_http_server
from trialrun.server.monitoring import LineWriter, LogFormat, Monitoring, RequestLog
from trialrun.server.operations import LongRunningOperations, Operations, Services
from trialrun.server.page import Page
from trialrun.server.reload import Reloader, ServedWorkspace
from trialrun.service.channel_config.service import ChannelConfigService
from trialrun.service.error import Status
from trialrun.service.feature_view.service import FeatureViewService
from trialrun.service.iam import Grants
from trialrun.service.journal import Journal
from trialrun.service.journal_file import open_journal
from trialrun.service.message import build_messages
from trialrun.workspace.dry_run import DryRun, open_store_folder
from trialrun.workspace.sound_documents import SoundDocuments

STANDARD_OUTPUT = 1
TIME_TO_READ = 0.2
"""Seconds that the reader of an output has before the server goes on without it."""
SWITCH_INTERVAL = 0.0005
"""Seconds for which a thread computes while others wait: with Python's 0.005, syncs beside an exploration of the page,
which do little between two reads and writes, took 16 s for 0.6 s of work."""
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
TIME_TO_END = 0.9
"""Seconds after which the process ends as by `kill -9`, which stores outlive: a thread, a disk or a reader hangs."""
INTERRUPTED_EXIT = 130


@dataclass(frozen=True)
class ServerOptions:
    """The choices of whoever starts a server.

    A port of 0 is a free one, and None means that nothing listens. `speed` is how many seconds the server's clock moves
    in one, 0 for a clock that stands still. `store` is the folder of values and of what clients created, None for the
    folder of the workspace. `token` is what clients must send, `access` who they are and what each may do; None where
    everybody on this machine may call, and do everything.
    """

    host: str = "127.0.0.1"
    port: int = 0
    grpc_port: int | None = None
    dialect: DialectName = "specification"
    speed: float = 1.0
    store: Path | None = None
    token: str | None = None
    access: AccessFile | None = None
    ready_file: Path | None = None
    log_format: LogFormat = "text"
    is_verbose: bool = False


def serve(trial: DryRun, options: ServerOptions, reopen: Callable[[], ServedWorkspace] | None = None) -> int:
    """Serve a workspace until a signal ends the server; the exit code. Raises UsageError.

    `reopen` reads the settings of the workspace anew, when files have changed; without it they stay as they are. Values
    and the journal are in the folder of the options, else in that of the workspace, for this server alone; a workspace
    whose settings name a remote store has its values there, and the journal on this machine.
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
        folder = open_store_folder(trial.request.root, options.store)
        log = RequestLog(options.log_format, is_verbose=options.is_verbose)
        try:
            with open_journal(folder.path, folder.guard) as journal, log.in_thread(TIME_TO_READ):
                places = folder if options.store else trial.stores.locations
                loop = _new_loop()
                try:
                    return loop.run_until_complete(
                        _serve(trial, journal, places, options, listeners, ready_file, reopen, log)
                    )
                finally:
                    loop.close()  # without waiting for threads: what they compute is asked for by nobody
        except StoreError as error:
            raise UsageError(str(error)) from error


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # it is not made for Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


async def _serve(
    trial: DryRun,
    journal: Journal,
    places: StoreLocations,
    options: ServerOptions,
    listeners: list[socket.socket],
    ready_file: ReadyFile | None,
    reopen: Callable[[], ServedWorkspace] | None,
    log: RequestLog,
) -> int:
    stop = StopSignals()
    clock = ServerClock(trial.clock.now(), options.speed)
    workspace = ServedWorkspace(trial.request, trial.options)
    reloader = Reloader(workspace, reopen or (lambda: workspace), log)
    http = f"http://{host_and_port(options.host, listeners[0].getsockname()[1])}"
    services = build_services(workspace, reloader.documents, journal, places, clock, options.access)
    services.feature_views.serving_address = http
    reloader.serve(services)
    scheduler = SyncScheduler(services.feature_views, clock)
    long_running = LongRunningOperations(journal, clock)
    monitoring = Monitoring(log)
    page = Page(lambda: reloader.current(trial), clock, services.feature_views).routes()
    routes = [*monitoring_routes(monitoring, reloader), *control_routes(services, scheduler), *page]
    build_messages()
    gc.freeze()  # what is here now stays, and need not be looked at when garbage is collected
    services.feature_views.on_sync(lambda sync: monitoring.count_sync(Status(sync.finalStatus.code).name))
    app = build_app(Operations(services, long_running, DIALECTS[options.dialect]), routes)
    # a server that other machines reach has names that it does not know
    hosts = frozenset({options.host.lower()}) if is_loopback(options.host) else None
    guarded = GuardedApp(app, Guards(options.token, hosts), monitoring, BodyReader())
    async with AsyncExitStack() as running:
        await running.enter_async_context(run_http_server(guarded, listeners))
        by_grpc = Operations(services, long_running, DIALECTS["vendor"])
        addresses = Addresses(http, await _start_grpc(by_grpc, options, monitoring, running))
        await running.enter_async_context(scheduler.running())
        await running.enter_async_context(reloader.running())
        writer = LineWriter(STANDARD_OUTPUT)
        writer.write(welcome(addresses, token=options.token, shows_token=sys.stdout.isatty()))
        writer.close(TIME_TO_READ)
        if ready_file:
            running.callback(ready_file.remove)
            ready_file.write(addresses)
        await stop.wait()
    if stop.exit_code == INTERRUPTED_EXIT:
        log.write_line("interrupted")
    return stop.exit_code


async def _start_grpc(
    operations: Operations, options: ServerOptions, monitoring: Monitoring, running: AsyncExitStack
) -> str | None:
    """Answer by gRPC while the parts of a server run; where, None without a port."""
    if options.grpc_port is None:
        return None
    from trialrun.server.grpc.server import run_grpc_server

    server = run_grpc_server(operations, options.token, monitoring, options.host, options.grpc_port)
    return host_and_port(options.host, await running.enter_async_context(server))


def build_services(
    workspace: ServedWorkspace,
    documents: SoundDocuments,
    journal: Journal,
    places: StoreLocations,
    clock: Clock,
    access: AccessFile | None = None,
) -> Services:
    """The services over the documents of a workspace, and over what clients did before. Raises StoreError."""
    of_both: dict[str, Any] = {"clock": clock, "journal": journal, "is_complete": documents.is_complete}
    of_both["selection"] = workspace.request.profiles.whole
    of_access: dict[str, Any] = {}
    if access:
        of_access = {"access": access.control, "grants": Grants(access.control.policies)}
    views = FeatureViewService(documents.views, places, options=workspace.options, **of_access, **of_both)
    configs = ChannelConfigService(documents.brands, **of_both)
    return Services(views, configs, members=access.members if access else None)


class StopSignals:
    """Takes SIGTERM and Ctrl-C from now on; after one the server has a second to end, whatever it waits for.

    It is meant for the main thread, where alone signals come. SIGTERM is an orderly end, as servers have it; Ctrl-C has
    the exit code of every command.
    """

    def __init__(self) -> None:
        self.exit_code = 0
        self._event = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in STOP_SIGNALS:
            try:
                loop.add_signal_handler(number, self._stop, number)
            except NotImplementedError:  # on Windows
                with suppress(ValueError):  # in a thread
                    signal.signal(number, lambda number, _frame: loop.call_soon_threadsafe(self._stop, number))

    async def wait(self) -> None:
        """Wait until a signal comes."""
        await self._event.wait()

    def _stop(self, number: int) -> None:
        if not self._event.is_set():
            self.exit_code = INTERRUPTED_EXIT if number == signal.SIGINT else 0
            last_resort = Timer(TIME_TO_END, os._exit, (self.exit_code,))
            last_resort.daemon = True
            last_resort.start()
        self._event.set()
