"""The servers that tests share end with the last of them."""

from collections.abc import Iterator

import pytest

from tests.lsp.client import end_shared


@pytest.fixture(autouse=True, scope="session")
def shared_servers() -> Iterator[None]:
    yield
    end_shared()
