"""A service of the two brands, at noon."""

import pytest

from tests.service.channel_config.service_fixture import service
from trialrun.runtime.clock import FixedClock
from trialrun.service.channel_config import ChannelConfigService


@pytest.fixture
def here(clock: FixedClock) -> ChannelConfigService:
    return service(clock=clock)
