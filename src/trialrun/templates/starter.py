"""The files of a first workspace, as `trialrun init` writes them: real files of this package, which tests check."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from trialrun.lint.editions import NEWEST

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workspace")
SETTINGS = "trialrun.toml"
HOOKS = ".pre-commit-config.yaml"
CONTENTS: Mapping[str, str] = MappingProxyType(
    {
        SETTINGS: "the settings; their folder is the root of the workspace",
        HOOKS: "a hook that checks the workspace before each commit",
        "views/menu-taste.yaml": "a FeatureView: what is served, when it is read, how it is searched",
        "views/sources.yaml": "its Source: the file that stands for the table of production",
        "views/data/menu_taste.csv": "50 rows",
        "channels/everyday.yaml": "a ChannelConfig: what the agent offers",
        "brand/brand.yaml": "a Brand with two stores: which config applies where",
        "brand/menu.yaml": "its Menu: the names that configs may use",
        "scenarios/offers.yaml": "a Scenario: a test of the config",
    }
)
"""The files in the order in which they are shown, and what each is."""
STORE = "main-street"
"""The store of the first workspace that examples name."""
_edition = re.compile(r'^edition = ".*"$', re.MULTILINE)


@cache
def starter_file(path: str) -> bytes:
    """The content of one of the files."""
    if path == HOOKS:
        return _read("pre-commit-config.yaml") + hook_lines().encode()
    if path == SETTINGS:
        return _edition.sub(f'edition = "{NEWEST}"', _read(SETTINGS).decode()).encode()
    return _read(path)


@cache
def hook_lines() -> str:
    """The hook as an item of `repos` in a `.pre-commit-config.yaml`."""
    return _read("pre-commit-hook.yaml").decode()


def _read(path: str) -> bytes:
    with open(os.path.join(FOLDER, *path.split("/")), "rb") as stream:
        return stream.read().replace(b"\r\n", b"\n")
