"""What tests of tables of Iceberg have in common."""

from collections.abc import Iterator

import pytest

from trialrun.runtime.feature_view.source import confined


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the process of readers wait longer: the machine may be busy with other tests."""
    monkeypatch.setattr(confined, "MAX_LOST_SECONDS", 60.0)
    confined.reset_time_budget()
    yield
    confined.reset_time_budget()
