"""All safe fixes of an open text, made in rounds; the workspace stays as it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from trialrun.workspace.check import Looked, Outcome
from trialrun.workspace.discovery import Found
from trialrun.workspace.fix_loop import MendedFile, mended
from trialrun.workspace.session_schemas import may_declare

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace.open_workspace import Live


def mended_text(live: Live, path: str) -> MendedFile | None:
    """The text of a file with all safe fixes made, as `check --fix` makes them; None where there is nothing to fix.

    Each round lints this text alone: what is found across files has no safe fix.
    """

    def check(texts: Mapping[str, bytes]) -> Outcome:
        return _outcome(live, path, texts[path]) if path in texts else Outcome(diagnostics=live.diagnostics(path))

    return next(iter(mended(check, live.files.bytes_of, unsafe=False).files), None)


def _outcome(live: Live, path: str, data: bytes) -> Outcome:
    """What is found in a file when it has other bytes."""
    files = live.files.under({**live.files.overlay, os.path.abspath(path): data})
    declares = may_declare(data, live.request.profiles.kind_by_glob(path))
    linting = live.request.linting(files) if declares else live.linting.of(files)
    looked = Looked()
    for report in linting.reports([Found(path, path)], declared=live.declared):
        looked.take(report)
    return looked.outcome(linting, whole=False).without(live.request.baseline)
