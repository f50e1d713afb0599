"""pydantic without its plugins, and without the search for them.

A plugin that happens to be installed must not change verdicts. pydantic asks for plugins even where they are disabled,
and the module it asks imports `importlib.metadata`, with the whole of `email` behind it: 12 to 15 ms of every start.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

ENVIRONMENT_VARIABLE = "PYDANTIC_DISABLE_PLUGINS"
ALL_PLUGINS = "__all__"
LOADER_MODULE = "pydantic.plugin._loader"


def disable() -> None:
    """Disable plugins for this process, unless its environment says otherwise; before pydantic is imported."""
    if os.environ.setdefault(ENVIRONMENT_VARIABLE, ALL_PLUGINS) == ALL_PLUGINS:
        sys.modules.setdefault(LOADER_MODULE, _EmptyLoader(LOADER_MODULE))


class _EmptyLoader(ModuleType):
    """Answers for pydantic's loader that there are no plugins; asked for anything else, it leaves and lets it answer.

    The loader is a private module. Where another version of pydantic has none of this name, nobody asks; where it
    wants more of it than `get_plugins`, it gets the real one.
    """

    def get_plugins(self, *_: Any) -> tuple[()]:
        """What the loader itself answers where all plugins are disabled."""
        return ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system looks for `__path__` and its like, and takes no for an answer
            raise AttributeError(name)
        if sys.modules.get(LOADER_MODULE) is self:
            del sys.modules[LOADER_MODULE]
        return getattr(import_module(LOADER_MODULE), name)
