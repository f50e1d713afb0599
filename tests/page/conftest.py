"""Pages of the example workspace and of its parts, each written once: most tests of a page only read it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.example_workspace import NOON, copied
from tests.program import own_environment, run_here

ExamplePage = Callable[..., str]


@pytest.fixture(scope="session")
def example_page(tmp_path_factory: pytest.TempPathFactory) -> ExamplePage:
    """The page that `report` writes of the example workspace at noon, with some arguments."""
    return pages_of(copied(tmp_path_factory.mktemp("page") / "shop"))


@pytest.fixture(scope="session")
def stores_page(tmp_path_factory: pytest.TempPathFactory) -> ExamplePage:
    """The same of its stores, without views and scenarios, which take longer than all else of a page."""
    return pages_of(copied_stores(tmp_path_factory.mktemp("stores") / "shop"))


@pytest.fixture(scope="session")
def search_page(tmp_path_factory: pytest.TempPathFactory) -> ExamplePage:
    """The same of its view `menu_search` alone."""
    return pages_of(copied_view(tmp_path_factory.mktemp("search") / "shop", "menu-search"))


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example workspace, for commands that write nothing to it."""
    return copied(tmp_path_factory.mktemp("example") / "shop")


def pages_of(folder: Path) -> ExamplePage:
    """The pages of a folder, each written when it is first asked for."""
    pages: dict[tuple[str, ...], str] = {}

    def page(*arguments: str) -> str:
        if arguments not in pages:
            pages[arguments] = write_page(folder, *arguments)
        return pages[arguments]

    return page


def write_page(folder: Path, *arguments: str) -> str:
    """Run `report` at noon in a folder; the page."""
    ran = run_here(("report", *NOON, *arguments), folder, own_environment(folder))
    assert ran.code == 0, ran.err
    return (folder / "trialrun-report.html").read_text(encoding="utf-8")


def copied_stores(folder: Path) -> Path:
    """A copy of the brand of the example workspace with its channels."""
    copied(folder)
    for name in ("feature-store", "feature-views", "scenarios"):
        shutil.rmtree(folder / name)
    return folder


def copied_view(folder: Path, file: str) -> Path:
    """A copy of one file of views of the example workspace, with what views read."""
    copied(folder)
    for name in ("brand", "channels", "scenarios"):
        shutil.rmtree(folder / name)
    for other in (folder / "feature-views").iterdir():
        if other.stem != file:
            other.unlink()
    return folder
