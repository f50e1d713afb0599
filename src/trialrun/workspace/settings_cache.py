"""Which settings are valid, from run to run: so a check of files that are in the cache imports no model of settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.lint.settings.lines import Problem

FOLDER = "settings"
"""The folder of their store in the cache folder: its rows are not the results by which a first run is told."""


def validate_once(content: Mapping[str, Any], name: str) -> tuple[dict[str, Any], list[Problem]]:
    """As `validate` of the settings; what was valid in an earlier run is valid."""
    from trialrun.cache_dir import private_cache_dir
    from trialrun.workspace.cache_store import CacheStore
    from trialrun.workspace.result_cache import tool_signature

    folder = private_cache_dir()
    store = CacheStore(os.path.join(folder, FOLDER)) if folder else None
    inputs = repr((tool_signature(), name, content)).encode("utf-8", "surrogatepass")
    key = blake2b(inputs, digest_size=20).digest()
    try:
        if store is not None and store.find(key) is not None:
            return dict(content), []
        from trialrun.lint.settings.validate import validate

        valid, problems = validate(content, name)
        if store is not None and not problems:
            store.write([(key, "valid")])
        return valid, problems
    finally:
        if store is not None:
            store.close()
