"""A service of the small workspace, at noon, and its clock."""

from pathlib import Path

import pytest

from tests.service.service_fixture import NOON, service
from trialrun.runtime.clock import FixedClock
from trialrun.service.feature_view import FeatureViewService


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
def here(tmp_path: Path, clock: FixedClock) -> FeatureViewService:
    return service(tmp_path, clock=clock)
