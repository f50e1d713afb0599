"""Pages of the example workspace, each written once: most tests of a page read it and change nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.example_workspace import NOON, copied
from tests.program import own_environment, run_here

ExamplePage = Callable[..., str]


@pytest.fixture(scope="session")
def example_page(tmp_path_factory: pytest.TempPathFactory) -> ExamplePage:
    """The page that `report` writes of the example workspace at noon, with some arguments."""
    folder = copied(tmp_path_factory.mktemp("page") / "shop")
    pages: dict[tuple[str, ...], str] = {}

    def page(*arguments: str) -> str:
        if arguments not in pages:
            pages[arguments] = write_page(folder, *arguments)
        return pages[arguments]

    return page


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example workspace, for commands that write nothing to it."""
    return copied(tmp_path_factory.mktemp("example") / "shop")


def write_page(folder: Path, *arguments: str) -> str:
    """Run `report` at noon in a folder; the page."""
    ran = run_here(("report", *NOON, *arguments), folder, own_environment(folder))
    assert ran.code == 0, ran.err
    return (folder / "trialrun-report.html").read_text(encoding="utf-8")
