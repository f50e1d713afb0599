"""The page as one HTML file: its style, its script and its data inside, nothing else allowed by its policy."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from string import Template
from typing import Any

from trialrun.page.pack import embedded_json, pack

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "assets")
SCRIPTS = (
    "dom",
    "format",
    "data",
    "parts",
    "overview",
    "effective",
    "stores",
    "upsells",
    "views",
    "changes",
    "findings",
    "scenarios",
    "router",
)
"""The files of the script, in the order in which they are put together."""
LIVE_SCRIPTS = ("request", "playground", "search", "server")
"""The files that only the page of a server has, before the last one of the others."""
MARK = "<!-- trialrun report -->"
"""The second line of a page, by which a command knows that it may write over it."""


def page_html(title: str, sections: Iterable[tuple[str, Any]], *, live: bool = False) -> str:
    """The page of a workspace; without sections and `live`, it asks its server for them."""
    from trialrun.report.terminal_width import escape_controls

    style, script = _style(live), _script(live)
    return Template(_asset("page.html")).substitute(
        mark=MARK,
        title=escape(escape_controls(title)),
        policy=escape(content_security_policy(live=live), quote=False),
        style=style,
        script=script,
        live="live" if live else "file",
        data="\n".join(_data_element(name, section) for name, section in sections),
    )


def content_security_policy(*, live: bool = False) -> str:
    """What the page may load: its own style and script by their hashes, and the endpoints of its server if `live`."""
    rules: Mapping[str, Sequence[str]] = {
        "default-src": ["'none'"],
        "style-src": [_hash(_style(live))],
        "script-src": [_hash(_script(live))],
        **({"connect-src": ["'self'"]} if live else {}),
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(f"{name} {' '.join(values)}" for name, values in rules.items())


def _data_element(name: str, section: Any) -> str:
    return f'<script type="application/json" id="data-{name}">{embedded_json(pack(section))}</script>'


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _style(live: bool) -> str:
    return _asset("page.css") + (_asset("live.css") if live else "")


@cache
def _script(live: bool) -> str:
    """The files of the script as one, which shares nothing with the page around it."""
    names = (*SCRIPTS[:-1], *LIVE_SCRIPTS, SCRIPTS[-1]) if live else SCRIPTS
    parts = (_asset(os.path.join("script", f"{name}.js")) for name in names)
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


@cache
def _asset(name: str) -> str:
    """A file of ours, without indentation and the lines that are comments of a script."""
    with open(os.path.join(FOLDER, name), encoding="utf-8") as stream:
        lines = (line.strip() for line in stream)
        return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))
