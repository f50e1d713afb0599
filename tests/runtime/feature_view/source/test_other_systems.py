"""The memory of a sync where the system tells and refuses none, as beside Linux: the engine's own limit holds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.runtime.feature_view.catalog_fixture import guests, synced
from trialrun.runtime.feature_view.source import engine
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.location import place_of
from trialrun.runtime.options import Options

ROW = {"id": "ana", "visits": 3, "feature_timestamp": "2026-11-20T00:00:00Z"}
OPTIONS = Options(bounded=True, memory_limit="512MB")


@pytest.fixture(params=["no /proc", "no limits"])
def other_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A system without /proc, or one without limits of processes as well, such as Windows."""
    pytest.importorskip("duckdb")
    monkeypatch.setattr(engine, "STATM", str(tmp_path / "none"))
    if request.param == "no limits":
        monkeypatch.setitem(sys.modules, "resource", None)


@pytest.mark.usefixtures("other_system")
def test_a_sync_works(tmp_path: Path) -> None:
    _, rows = synced(guests(tmp_path, ROW), options=OPTIONS)
    assert rows == {("ana",): {"visits": 3}}


@pytest.mark.usefixtures("other_system")
def test_the_limit_of_the_engine_holds(tmp_path: Path) -> None:
    (source,) = guests(tmp_path, ROW).sources
    engine = open_engine([place_of(source)], OPTIONS)
    ((limit,),) = engine.all("SELECT current_setting('memory_limit')")
    engine.close()
    assert limit == "488.2 MiB"
