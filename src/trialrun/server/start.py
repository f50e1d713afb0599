"""Starting and ending the server."""

from __future__ import annotations

import asyncio

import uvicorn

from trialrun.server.bindings.binding import Services
from trialrun.server.dialect.specification import SpecificationDialect
from trialrun.server.http.app import build_app
from trialrun.server.long_running import LongRunningOperations
from trialrun.server.options import ServerOptions
from trialrun.service.channel_config.service import ChannelConfigService
from trialrun.service.feature_view.service import FeatureViewService
from trialrun.workspace.catalog import brands
from trialrun.workspace.dry_run import DryRun


def serve(trial: DryRun, options: ServerOptions) -> int:
    """Serve a workspace until a signal ends the server; the exit code."""
    app = build_app(build_services(trial), LongRunningOperations(), SpecificationDialect())
    config = uvicorn.Config(app, host=options.host, port=options.port, access_log=False, log_level="warning")
    asyncio.run(uvicorn.Server(config).serve())
    return 0


def build_services(trial: DryRun) -> Services:
    """The services over the documents of a workspace."""
    selection = trial.request.profiles.whole
    return Services(
        FeatureViewService(trial.catalog, clock=trial.clock, options=trial.options, selection=selection),
        ChannelConfigService(brands(trial.request), clock=trial.clock, selection=selection),
    )
