"""Creates environments of the engine without importing the protobuf package, which takes 30 ms.

The engine imports `google.protobuf.message_factory` for each environment, although it calls it only to return a message
as a Python object, which no expression of ours is. So it gets a module in its place that imports the real one when it
is used. Without a descriptor pool it would import the package, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

MESSAGE_FACTORY = "google.protobuf.message_factory"


class _OnDemand(ModuleType):
    """A module in the place of the real one, which is imported when anything of it is used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._real_module(), name)

    def GetMessageClass(self, descriptor: object) -> Any:
        """The function that the engine looks up for each environment, and may never call."""
        return self._real_module().GetMessageClass(descriptor)

    def _real_module(self) -> Any:
        self.leave()
        return import_module(MESSAGE_FACTORY)

    def leave(self) -> None:
        """Remove this module from those that are imported."""
        if sys.modules.get(MESSAGE_FACTORY) is self:
            del sys.modules[MESSAGE_FACTORY]


class EmptyPool:
    """A descriptor pool without any types, for environments that need none."""

    def FindFileContainingSymbol(self, name: str) -> NoReturn:
        """KeyError, since no file here declares a type."""
        raise KeyError(name)

    def FindFileByName(self, name: str) -> NoReturn:
        """KeyError, since there is no file."""
        raise KeyError(name)


@contextmanager
def protobuf_on_demand() -> Iterator[None]:
    """Environments that are created in this block do not import the protobuf package."""
    if MESSAGE_FACTORY in sys.modules:
        yield
        return
    module = _OnDemand(MESSAGE_FACTORY)
    sys.modules[MESSAGE_FACTORY] = module
    try:
        yield
    finally:
        module.leave()
