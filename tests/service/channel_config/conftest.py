"""A service of the two brands, at noon, and its clock."""

from __future__ import annotations

import pytest

from tests.service.channel_config.service_fixture import service
from tests.service.service_fixture import NOON
from trialrun.runtime.clock import FixedClock
from trialrun.service.channel_config import ChannelConfigService


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
def here(clock: FixedClock) -> ChannelConfigService:
    return service(clock=clock)
