"""Etags: a short text that differs with every change of a resource (AIP-154)."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from trialrun.service.error import Status, service_error


def compute_etag(content: Any, *, change: int) -> str:
    """The etag of a resource whose JSON is `content` after its service made so many changes."""
    text = json.dumps([change, content], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def require_current_etag(given: str | None, current: str, what: str) -> None:
    """Refuse a change that was made from another version; without an etag it is a blind overwrite."""
    if given and given != current:
        raise service_error(
            Status.ABORTED,
            "stale-etag",
            f'{what} was changed by another request: its etag is "{current}", not "{given}"; get it again, then '
            "repeat the change",
            etag=current,
        )
