"""What keeps this program from a Spark cluster is said within seconds, in words of its own; executors know little."""

import os
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.spark_cluster import needs_spark
from trialrun.runtime.feature_view.source.location import Unreadable
from trialrun.runtime.feature_view.source.spark_session import CREDENTIALS, _environment, close_spark, spark_session
from trialrun.runtime.options import EngineAddress

NOBODY = EngineAddress("spark://127.0.0.1:1")


@pytest.fixture(autouse=True)
def no_connection() -> Iterator[None]:
    close_spark()
    yield
    close_spark()


def test_an_extra_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialrun.extras.find_spec", lambda name: None)
    with pytest.raises(Unreadable, match=r"run pip install 'trialrun\[spark\]'"):
        spark_session(NOBODY)


def test_a_master_that_does_not_answer() -> None:
    pytest.importorskip("pyspark", reason="needs pyspark; run pip install '.[spark]'")
    with pytest.raises(Unreadable, match=r"no Spark master answers at spark://127\.0\.0\.1:1"):
        spark_session(NOBODY)


def test_a_machine_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="needs pyspark; run pip install '.[spark]'")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(Unreadable, match="install Java 17"):
        spark_session(EngineAddress(f"spark://127.0.0.1:{server.getsockname()[1]}"))


def test_the_driver_gets_no_keys_that_it_would_send_to_executors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    with _environment({"SPARK_HOME": "/opt/spark", **dict.fromkeys(CREDENTIALS)}):
        assert os.environ["SPARK_HOME"] == "/opt/spark"
        assert not [name for name in os.environ if name.startswith("AWS_S")]
    assert os.environ["AWS_SECRET_ACCESS_KEY"] == "hunter2"
    assert "AWS_SESSION_TOKEN" not in os.environ


class TestCluster:
    pytestmark = needs_spark

    @pytest.mark.parametrize(("secret", "advice"), [("wrong", "check"), (None, "set")])
    def test_a_wrong_secret(self, spark: EngineAddress, secret: str | None, advice: str) -> None:
        begin = time.monotonic()
        with pytest.raises(Unreadable, match=f"refuses this program; {advice} TRIALRUN_ENGINE_SECRET") as refused:
            spark_session(replace(spark, secret=secret))
        assert time.monotonic() - begin < 60
        assert "wrong" not in str(refused.value)

    def test_executors_know_nothing_of_our_environment(
        self, spark: EngineAddress, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TRIALRUN_STORE_PASSWORD", "hunter2")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")

        def environment(batches: Iterator[Any]) -> Iterator[Any]:
            import os

            import pyarrow

            yield pyarrow.RecordBatch.from_pydict({"name": list(os.environ), "value": list(os.environ.values())})

        rows = spark_session(spark).range(1).mapInArrow(environment, "name string, value string").collect()
        names = {name for name, _ in rows}
        assert "hunter2" not in [value for _, value in rows]
        assert "PATH" in names
        assert not [name for name in names if name.startswith(("TRIALRUN", "AWS", "PYTEST"))]

    def test_no_secret_is_among_the_arguments_of_a_process(self, spark: EngineAddress) -> None:
        assert spark.secret
        spark_session(spark)
        if sys.platform == "linux":
            arguments = [Path(f"/proc/{pid}/cmdline") for pid in os.listdir("/proc") if pid.isdecimal()]
            assert not [file for file in arguments if spark.secret.encode() in _content(file)]


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # the process has ended
        return b""
