"""The text of a page: what its script finds in it."""

from __future__ import annotations

import pytest

from trialrun.page.html import content_security_policy, page_html


@pytest.mark.parametrize(("live", "mode"), [(False, "file"), (True, "live")])
def test_a_page_says_whether_a_server_answers_it(live: bool, mode: str) -> None:
    page = page_html("Acme & Sons", [], live=live)
    assert f'data-mode="{mode}"' in page
    assert "<title>Acme &amp; Sons" in page
    assert content_security_policy(live=live) in page
