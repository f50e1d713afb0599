"""What the resident process does before it answers: checks of small documents, which import what any check may need."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

NAME = "projects/p/locations/l"
DOCUMENTS: Mapping[str, str] = {
    "view.yaml": f"""\
kind: FeatureView
name: {NAME}/featureOnlineStores/s/featureViews/v
syncConfig: {{cron: 'CRON_TZ=Europe/Paris 0 3 * * *'}}
warehouseSource: {{uri: 'bq://p.d.t', entityIdColumns: [id]}}
""",
    "config.yaml": f"""\
kind: ChannelConfig
name: {NAME}/brands/b/channelConfigs/c
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - priority: 1
        celUpsell:
          conditionExpression: order.items.exists(i, i.displayName.contains('Burger')) && order.total > 10.0
          suggestedMenuItems: [Fries]
""",
    "mistakes.yaml": f"""\
kind: FeatureView
name: {NAME}/featureOnlineStores/s/featureViews/w
syncConfig: {{cron: 0 25 * * *}}  # trialrun: ignore[cron-dst] -- an example
warehouseSource: {{uri: 'bq://p.d.t', entityIdColums: [id]}}
---
kind: ChannelConfig
name: {NAME}/brands/b/channelConfigs/d
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - priority: 1
        celUpsell:
          conditionExpression: order.totl > 10
          suggestedMenuItems: [Fries]
""",
    "broken.yaml": "kind: FeatureView\nname: [\n",
    "view.json": '{"kind": "FeatureView", "name": "v"}\n',
}
COMMANDS = (
    ["init", "workspace"],
    ["check", "--no-cache", "workspace"],
    ["check", "--since", "HEAD", "workspace"],
    ["check", "--no-cache", "view.yaml"],
    ["check", "--no-cache", "config.yaml"],
    ["check", "--isolated", "--color", "always", "view.yaml"],
    ["check", "view.yaml", "mistakes.yaml"],
    ["check", "--isolated"],
    ["check", "--isolated", "--output-format", "json"],
    ["check", "--isolated", "--output-format", "concise"],
    ["check", "--isolated", "--output-format", "sarif"],
    ["check", "--isolated", "--diff"],
)
FURTHER = (
    "trialrun.git",
    "trialrun.git_process",
    "trialrun.repository",
    "trialrun.workspace.git_files",
    "trialrun.workspace.since",
    "trialrun.workspace.worker_pool",
    "trialrun.workspace.related_files",
    "trialrun.lint.settings",
    "trialrun.cli.report_error",
    "trialrun.cli.progress",
    "trialrun.values.deceptive",
    "trialrun.values.normalize",
    "pickle",
    "select",
    "sqlite3",
    "subprocess",
    "tomllib",
)
"""What else some checks import: those inside of a git repository, of many files, with settings."""


def warm_up() -> None:
    """Check the documents, without a trace: nothing is written but to a folder that is removed again."""
    from trialrun.cli.main import main
    from trialrun.lint.registry import everything

    for name in FURTHER:
        import_module(name)
    list(everything())
    folder = os.open(".", os.O_RDONLY)
    with TemporaryDirectory(prefix="trialrun-daemon-") as temporary, _environment(temporary), _without_output():
        for name, text in DOCUMENTS.items():
            Path(temporary, name).write_text(text, encoding="utf-8")
        os.chdir(temporary)
        try:
            for arguments in COMMANDS:
                main(arguments)
        finally:
            os.fchdir(folder)
            os.close(folder)
    _forget()


def _forget() -> None:
    """Forget what a process keeps of its command line."""
    from trialrun.guarded_path import forget_allowed

    forget_allowed()


@contextmanager
def _environment(folder: str) -> Iterator[None]:
    """The caches and settings of nobody."""
    before = dict(os.environ)
    os.environ["TRIALRUN_CACHE_DIR"] = os.path.join(folder, "cache")
    os.environ["TRIALRUN_STATE_DIR"] = os.path.join(folder, "state")
    os.environ["XDG_CONFIG_HOME"] = folder
    os.environ.pop("TRIALRUN_USER_SETTINGS", None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _without_output() -> Iterator[None]:
    """Both output streams lead nowhere."""
    kept = {number: os.dup(number) for number in (1, 2)}
    null = os.open(os.devnull, os.O_WRONLY)
    for number in kept:
        os.dup2(null, number)
    os.close(null)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, other in kept.items():
            os.dup2(other, number)
            os.close(other)
