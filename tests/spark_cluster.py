"""A Spark cluster of this machine for tests that are marked `cluster`: a master and two workers on loopback."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from trialrun.runtime.options import EngineAddress

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "scripts" / "cluster.sh"
needs_spark = [
    pytest.mark.cluster,
    pytest.mark.xdist_group("spark"),
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("java") is None, reason="needs java; run .ci/servers"),
    pytest.mark.skipif(importlib.util.find_spec("pyspark") is None, reason="needs pyspark; run pip install '.[spark]'"),
]
"""The marks of a test that uses `spark_cluster`."""


@contextmanager
def spark_cluster(folder: Path) -> Iterator[EngineAddress]:
    """A cluster for as long as it is needed, and how to reach it."""
    from trialrun.runtime.feature_view.source.spark_session import close_spark

    environment = {"PATH": str(Path(sys.executable).parent) + ":/usr/bin:/bin", "PYTHON": sys.executable}
    try:
        subprocess.run([SCRIPT, "start", folder], check=True, env=environment, timeout=300, stdout=subprocess.DEVNULL)
        yield EngineAddress(
            (folder / "engine").read_text().strip(), secret=(folder / "secret").read_text().strip() or None
        )
    finally:
        close_spark()
        subprocess.run([SCRIPT, "stop", folder], check=True, timeout=60)
