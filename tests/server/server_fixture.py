"""A server over the small workspace of the tests of the services, called without a port."""

from pathlib import Path
from typing import Any

import httpx

from tests.service.service_fixture import NOON, run, service
from trialrun.runtime.declaration import BrandCatalog
from trialrun.server.clock import ServerClock, SyncScheduler
from trialrun.server.dialect import DIALECTS, DialectName
from trialrun.server.http.routes import build_app, control_routes
from trialrun.server.operations import LongRunningOperations, Operations, Services
from trialrun.service.channel_config.service import ChannelConfigService
from trialrun.service.journal import Journal

BASE = "http://127.0.0.1"


class HttpClient:
    """Sends requests to the application of a server, in this process."""

    def __init__(
        self, folder: Path, *documents: dict[str, Any], dialect: DialectName = "specification", **service_options: Any
    ) -> None:
        self.clock = ServerClock(NOON, 0)
        self.services = Services(
            service(folder, *documents, clock=self.clock, **service_options), ChannelConfigService(BrandCatalog())
        )
        self.services.feature_views.serving_address = "http://127.0.0.1:1"
        self.scheduler = SyncScheduler(self.services.feature_views, self.clock)
        control = control_routes(self.services, self.scheduler)
        operations = Operations(self.services, LongRunningOperations(Journal(), self.clock), DIALECTS[dialect])
        self.app = build_app(operations, control)

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The response to a request."""
        return run(self.send_async(method, path, **options))

    async def send_async(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The response to a request, in a loop that runs."""
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            return await client.request(method, path, **options)
