"""Which settings are valid, from run to run: so a check of files that are in the cache imports no model of settings."""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.lint.settings.lines import Problem

FOLDER = "settings"
"""The folder of their store in the cache folder: its rows are not the results by which a first run is told."""


def validate_once(content: dict[str, Any], name: str) -> tuple[dict[str, Any], list[Problem]]:
    """As `validate` of the settings; what was valid in an earlier run is valid."""
    from trialrun.cache_dir import private_cache_dir
    from trialrun.workspace.result_cache import CacheStore, tool_signature

    folder = private_cache_dir()
    if folder is None:
        return _validate(content, name)
    try:
        inputs = repr((tool_signature(), name, content)).encode("utf-8", "surrogatepass")
    except RecursionError:  # it nests deeper than any settings
        return _validate(content, name)
    key = blake2b(inputs, digest_size=20).digest()
    store = CacheStore(os.path.join(folder, FOLDER))
    try:
        if store.find(key) is not None:
            return content, []
        valid, problems = _validate(content, name)
        if not problems:
            store.write([(key, "valid")])
        return valid, problems
    finally:
        store.close()


def _validate(content: dict[str, Any], name: str) -> tuple[dict[str, Any], list[Problem]]:
    from trialrun.lint.settings.validate import validate

    return validate(content, name)
