"""Servers for the tests with real clients: one for each module and dialect."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.clients.served_workspace import serve


@pytest.fixture(scope="module")
def vendor_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server in the dialect of the vendor."""
    with serve(tmp_path_factory.mktemp("vendor"), "vendor") as address:
        yield address


@pytest.fixture(scope="module")
def specification_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server in the dialect of the specification."""
    with serve(tmp_path_factory.mktemp("specification"), "specification") as address:
        yield address
