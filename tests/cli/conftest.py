"""What several tests of commands read and change nothing of."""

from pathlib import Path

import pytest

from tests.cli.example_workspace import synced

SYNCED = ("guest_profile", "guest_orders", "menu_prices", "menu_search", "menu_search_exact")


@pytest.fixture(scope="session")
def synced_example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example workspace with some views synced at noon."""
    return synced(tmp_path_factory.mktemp("synced"), *SYNCED)
