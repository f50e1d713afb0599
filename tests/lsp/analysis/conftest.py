"""An analysis makes its folder the working directory, and remembers it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from trialrun.working_folder import forget_folder


@pytest.fixture(autouse=True)
def own_folder() -> Iterator[None]:
    """The working directory afterwards is that from before."""
    before = os.getcwd()
    yield
    forget_folder()
    os.chdir(before)
