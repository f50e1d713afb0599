"""An analysis makes its folder the working directory and what may be read, and remembers it."""

import os
from collections.abc import Iterator

import pytest

from trialrun.guarded_path import forget_allowed
from trialrun.working_folder import forget_folder


@pytest.fixture(autouse=True)
def own_folder() -> Iterator[None]:
    """The working directory afterwards is that from before."""
    before = os.getcwd()
    yield
    forget_folder()
    forget_allowed()
    os.chdir(before)
