"""The catalogs of an open workspace follow its texts."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import Interrupted, OpenWorkspace
from trialrun.workspace.open_workspace.catalog_cache import brands, outdated_paths, prefetch, views

BRAND = "kind: Brand\nname: north\nstores:\n  - name: pier\n"
VIEW = "kind: FeatureView\nname: prices\nsyncConfig: {cron: 0 6 * * *}\n"


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    (tmp_path / "brand.yaml").write_text(BRAND)
    (tmp_path / "view.yaml").write_text(VIEW)
    monkeypatch.chdir(tmp_path)
    return OpenWorkspace(
        CheckRequest(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False)
    )


def test_a_catalog_has_the_documents_of_the_files(live: OpenWorkspace) -> None:
    assert [view.node.name for view in views(live).views] == ["prices"]
    assert [(store.name, store.line) for store in brands(live).stores] == [("pier", 4)]


def test_a_catalog_goes_by_the_text_of_the_editor(live: OpenWorkspace) -> None:
    brands(live)
    live.set_overlay(str(Path("brand.yaml").resolve()), (BRAND + "  - name: harbor\n").encode())
    assert [store.name for store in brands(live).stores] == ["pier", "harbor"]


def test_a_file_that_cannot_be_read_whole_is_troubled(live: OpenWorkspace) -> None:
    live.set_overlay(str(Path("brand.yaml").resolve()), (BRAND + "  - name: [\n").encode())
    assert brands(live).unreadable_paths == ["brand.yaml"]


def test_a_file_that_goes_takes_its_documents_along(live: OpenWorkspace) -> None:
    brands(live)
    Path("brand.yaml").unlink()
    live.files_changed(str(Path("brand.yaml").resolve()))
    assert brands(live).stores == []


def test_a_new_file_stands_in_the_order_of_paths(live: OpenWorkspace) -> None:
    views(live)
    live.set_overlay(str(Path("a.yaml").resolve()), VIEW.replace("prices", "guests").encode())
    assert [view.node.name for view in views(live).views] == ["guests", "prices"]


def test_a_text_that_did_not_change_keeps_its_documents(live: OpenWorkspace) -> None:
    before = views(live).views[0]
    live.set_overlay(str(Path("brand.yaml").resolve()), BRAND.encode())
    assert views(live).views[0] is before


def test_a_catalog_stays_while_other_documents_are_edited(live: OpenWorkspace) -> None:
    of_brands, of_views = brands(live), views(live)
    live.set_overlay(str(Path("view.yaml").resolve()), VIEW.replace("prices", "guests").encode())
    assert brands(live) is of_brands
    assert views(live) is not of_views


def test_a_document_that_becomes_another_kind_leaves_its_catalog(live: OpenWorkspace) -> None:
    views(live)
    live.set_overlay(str(Path("view.yaml").resolve()), b"kind: Menu\nname: lunch\n")
    assert views(live).views == []
    assert [menu.node.name for menu in brands(live).menus] == ["lunch"]


def test_what_was_read_stays_read_where_a_question_is_left_halfway(live: OpenWorkspace) -> None:
    def leave_at_the_view(path: str | None) -> None:
        if path == "view.yaml":
            raise Interrupted

    Path("c.yaml").write_text(VIEW)
    live.files_changed(str(Path("c.yaml").resolve()))
    prefetch(live, "c.yaml")
    live.report_activity = leave_at_the_view
    with pytest.raises(Interrupted):
        brands(live)
    assert outdated_paths(live) == {"view.yaml"}
