"""Starts an analysis process; it imports little, since that process imports the most, and is to begin first."""

from __future__ import annotations

import os
import subprocess
import sys

import trialrun

Process = subprocess.Popen[bytes]


def start_process() -> Process:
    """Start the process in the folder of our package: nothing may be imported from the workspace."""
    package_parent = os.path.dirname(os.path.dirname(os.path.abspath(trialrun.__file__)))
    program = f"import sys; sys.path.append({package_parent!r}); from trialrun.lsp.analysis.main import main; main()"
    command = [sys.executable, "-P", "-c", program]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=package_parent)
