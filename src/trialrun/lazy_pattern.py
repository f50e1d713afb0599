"""Regular expressions that are compiled when they are first used: to compile one takes up to 4 million instructions."""

from __future__ import annotations

import re
from typing import Any, cast


class LazyPattern:
    """A regular expression that is not compiled yet."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """What the compiled expression has; it is kept, so that later uses take no longer than those of any other."""
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is the compiled expression."""
        return re.compile, (self.pattern, self._flags)


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, for an expression that most runs do not use; it is no argument for functions of `re`."""
    return cast("re.Pattern[str]", LazyPattern(pattern, flags))
