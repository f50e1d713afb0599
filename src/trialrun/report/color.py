"""Whether to send colours, and which: the palette of everything that we print."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TextIO

from trialrun.diagnostic import Severity

Style = Literal["error", "warning", "note", "rule", "place", "gutter", "related", "help", "clean", "added", "removed"]
Paint = Callable[[str, Style], str]
"""Give a text the look of a style, or leave it as it is where colours are not wanted."""

PALETTE: dict[Style, str] = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "rule": "1",
    "place": "36",
    "gutter": "2",
    "related": "1;34",
    "help": "1;32",
    "clean": "32",
    "added": "32",
    "removed": "31",
}
"""The codes of SGR (ECMA-48): bold, faint and six colours, which every theme keeps readable on its background."""


def use_color(color: str, stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether to send colours to a stream, which is told; `color` is `always`, `never` or `auto`.

    With `auto`, NO_COLOR switches them off, FORCE_COLOR and CLICOLOR_FORCE switch them on (each when it is neither
    empty nor, for the latter two, 0), and otherwise the stream must be a terminal that is not a `dumb` one.
    """
    wanted = _wants_color(color, stream, environ)
    if hasattr(stream, "takes_color"):  # it escapes them otherwise
        stream.takes_color = wanted
    return wanted


def _wants_color(color: str, stream: TextIO, environ: Mapping[str, str]) -> bool:
    if color != "auto":
        return color == "always"
    if environ.get("NO_COLOR"):
        return False
    if any(environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return stream.isatty() and environ.get("TERM") != "dumb"


def severity_style(severity: Severity) -> Style:
    """The style of a severity."""
    match severity:
        case Severity.ERROR:
            return "error"
        case Severity.WARNING:
            return "warning"
        case Severity.NOTE:
            return "note"


def painter(*, color: bool) -> Paint:
    """The function that paints, or the one that leaves every text as it is."""
    if not color:
        return lambda text, style: text
    return lambda text, style: f"\x1b[{PALETTE[style]}m{text}\x1b[0m" if text else text
