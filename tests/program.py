"""The program as tests run it, and small files for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SOURCE = str(Path(__file__).parent.parent / "src")
VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/{name}
syncConfig:
  cron: {cron}
warehouseSource:
  uri: bq://p.d.t
  entityIdColumns: [id]
"""

CONDITION = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/b/channelConfigs/c
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - priority: 1
        celUpsell:
          conditionExpression: order.total > 10.0
          suggestedMenuItems: [Fries]
"""
"""A sound ChannelConfig with a condition over the default types of the session."""


def view(name: str = "v", cron: str = "0 3 * * *") -> str:
    """A sound FeatureView, or one with another schedule."""
    return VIEW.format(name=name, cron=cron)


@dataclass(frozen=True)
class Ran:
    """How a run of the program ended, and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def own_environment(folder: Path) -> dict[str, str]:
    """The environment of a run: our sources, a cache beside the test's folder, no colours, no terminal."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return kept | {"PYTHONPATH": SOURCE, "TRIALRUN_CACHE_DIR": str(folder.parent / f"{folder.name}-cache")}


@contextmanager
def watched(folder: Path, *arguments: str) -> Iterator[Callable[[], str]]:
    """A run with `--watch`, ended by Ctrl-C: its output, each time up to where it waits for the next change."""
    with subprocess.Popen(
        [sys.executable, "-m", "trialrun", *arguments],
        cwd=folder,
        env=own_environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        yield lambda: "".join(iter(lambda: next(lines), "watching for changes; Ctrl-C ends\n"))
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
