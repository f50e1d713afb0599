"""A Ctrl-C while the engine is loaded or asks for a type: it is raised as ever, and does not bring the engine down."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.program import SOURCE

AT_AN_IMPORT = """
class AtImport:
    def find_spec(self, name, *rest):
        if name == "cel_expr_python.cel":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, AtImport())
"""
AT_A_TYPE = """
from trialrun.values.cel.environment import TypePool
find = TypePool.FindFileContainingSymbol

def interrupted(pool, name):
    signal.raise_signal(signal.SIGINT)
    return find(pool, name)

TypePool.FindFileContainingSymbol = interrupted
"""
CHECK = """
try:
    from trialrun.values.cel import check_expression
    check_expression("order.subtotal > 1.0")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("ctrl_c", [AT_AN_IMPORT, AT_A_TYPE], ids=["import", "type"])
def test_the_engine_is_interrupted(ctrl_c: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import signal, sys\n{ctrl_c}\n{CHECK}"],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr
