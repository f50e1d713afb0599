"""A server over the small workspace of the tests of the services, called without a port."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from tests.service.service_fixture import run, service
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.server.bindings.binding import Services
from trialrun.server.dialect.specification import SpecificationDialect
from trialrun.server.http.app import build_app
from trialrun.server.long_running import LongRunningOperations
from trialrun.service.channel_config.service import ChannelConfigService

BASE = "http://127.0.0.1"


class HttpClient:
    """Sends requests to the application of a server, in this process."""

    def __init__(self, folder: Path, **service_options: Any) -> None:
        self.services = Services(service(folder, **service_options), ChannelConfigService(BrandCatalog()))
        self.app = build_app(self.services, LongRunningOperations(), SpecificationDialect())

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The response to a request."""
        return run(self._send(method, path, options))

    async def _send(self, method: str, path: str, options: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            return await client.request(method, path, **options)
