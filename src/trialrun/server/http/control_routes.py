"""The routes by which tests control a server itself: its clock, and faults on purpose."""

from __future__ import annotations

from starlette.routing import Route

from trialrun.server.bindings.binding import Services
from trialrun.server.http.control import ClockEndpoint
from trialrun.server.http.fault_control import FaultsEndpoint
from trialrun.server.sync_scheduler import SyncScheduler


def control_routes(services: Services, scheduler: SyncScheduler) -> list[Route]:
    """The routes below `/trialrun/v1`; from now on the values before each sync are kept, for reads that are stale."""
    services.feature_views.keep_previous_values()
    return [*ClockEndpoint(scheduler).routes(), *FaultsEndpoint(services.faults).routes()]
