"""The servers that tests of a module share end with the module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lsp.server.lsp_client import end_shared


@pytest.fixture(autouse=True, scope="module")
def shared_servers() -> Iterator[None]:
    yield
    end_shared()
