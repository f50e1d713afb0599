"""`trialrun settings`: the settings in force, and where each came from."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from trialrun.cli.options import require_folder


@click.command("settings")
@click.argument("path", default=".", type=click.Path(readable=False))
@click.option("--isolated", is_flag=True, help="Read no settings file.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(path: str, isolated: bool, output_format: str) -> int:
    """Show the settings in force for PATH, and where each came from."""
    from trialrun.lint.settings import KEYS, Settings, read_settings
    from trialrun.workspace import workspace_root
    from trialrun.workspace.discovery import shown_path

    require_folder()
    root = workspace_root(path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path)))
    settings = Settings() if isolated else read_settings(root)
    origin = shown_path(settings.file) if settings.file else "default"
    rows = []
    for key in KEYS:
        value = getattr(settings, key)
        value = dict(value) if hasattr(value, "items") else list(value)
        rows.append((key, value, origin if value else "default"))
    if output_format == "json":
        told = {key: {"value": value, "from": where} for key, value, where in rows}
        whole = {"version": 1, "workspace": shown_path(root), "settings": told}
        sys.stdout.write(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    else:
        sys.stdout.writelines(_lines(shown_path(root), rows))
    return 0


def _lines(root: str, rows: Sequence[tuple[str, Any, str]]) -> Iterator[str]:
    yield f"workspace  {root}\n"
    for key, value, where in rows:
        yield f"{key:<9}  {json.dumps(value, ensure_ascii=False)}  ({where})\n"
