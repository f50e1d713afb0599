"""What is shown at a place of an open workspace, and which characters that is about."""

from __future__ import annotations

from tests.lsp.navigation.open_workspace import at
from trialrun.lsp.features.hover import hover
from trialrun.parser import read_source
from trialrun.workspace.open_workspace import OpenWorkspace


def shown(live: OpenWorkspace, path: str, place: str) -> str:
    """What is shown at `|`."""
    found = hover(live, path, at(live, path, place))
    return found.markdown if found else ""


def marked(live: OpenWorkspace, path: str, place: str) -> str:
    """The characters that what is shown at `|` is about."""
    found, data = hover(live, path, at(live, path, place)), live.files.bytes_of(path)
    if found is None or data is None:
        return ""
    text = read_source(data, path)
    return text.text[text.offset(found.range.start) : text.offset(found.range.end)]
