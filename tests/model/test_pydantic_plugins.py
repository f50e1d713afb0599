"""Plugins of pydantic that happen to be installed change no verdict."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.program import SOURCE


def test_there_are_no_plugins() -> None:
    code = "import trialrun.model.node; from pydantic.plugin._loader import get_plugins; print(list(get_plugins()))"
    kept = {key: value for key, value in os.environ.items() if key != "PYDANTIC_DISABLE_PLUGINS"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=kept | {"PYTHONPATH": SOURCE}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
