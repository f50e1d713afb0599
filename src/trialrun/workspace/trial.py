"""A workspace as its trial runs need it: what it declares, what it chose, and where the values are kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trialrun.runtime.options import Options


def options(runtime: Mapping[str, Any]) -> Options:
    """The choices of the `[runtime]` table of the settings, which was checked when it was read."""
    return Options(**{key.replace("-", "_"): value for key, value in runtime.items()})
