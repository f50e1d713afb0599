"""One finding as a person reads it: its message, its place, the lines that it is about, and how to fix it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from trialrun.diagnostic import Diagnostic
from trialrun.lazy_dataclass import dataclass
from trialrun.report.code_frame import Annotation, clamp_range, render_frame
from trialrun.report.color import Paint, severity_style
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrap_text
from trialrun.text import Position, Source

HANGING_INDENT = 4
"""The spaces before the further lines of a message."""


@dataclass(frozen=True, slots=True)
class TextOutput:
    """What a report is written on."""

    sources: Callable[[str], Source | None]
    width: int
    paint: Paint


@dataclass(frozen=True, slots=True)
class FileExcerpt:
    """The places of one file that a diagnostic speaks of: those that can be shown, settled, and those that cannot.

    `position` is where the first of them is; `is_primary` says that it is the diagnostic's.
    """

    path: str
    position: Position
    source: Source | None
    visible: tuple[Annotation, ...]
    missing: tuple[Annotation, ...]
    is_primary: bool


def format_finding(diagnostic: Diagnostic, page: TextOutput) -> Iterator[str]:
    """The lines of a finding; none is wider than the page, except for words and paths that are."""
    style = severity_style(diagnostic.severity)
    places = {diagnostic.path: [Annotation(diagnostic.range, style)]}
    for related in diagnostic.related:
        places.setdefault(related.path, []).append(Annotation(related.range, "related", related.message))
    scenes = [
        _excerpt(path, of_path, page.sources(path), own=path == diagnostic.path) for path, of_path in places.items()
    ]
    digits = len(str(max((place.range.end.line for scene in scenes for place in scene.visible), default=1)))
    word, rule = diagnostic.severity.word, f"[{escape_controls(diagnostic.rule)}]"
    room = page.width - width_of(word + rule) - len(": ")
    first, *others = wrap_text(escape_controls(diagnostic.message), first=room, rest=page.width - HANGING_INDENT)
    yield f"{page.paint(word, style)}{page.paint(rule, 'rule')}: {first}".rstrip()
    yield from (" " * HANGING_INDENT + line for line in others)
    for scene in scenes:
        yield from _excerpt_lines(scene, digits, page)
    advice = list(_advice(diagnostic))
    if advice and any(scene.visible for scene in scenes):
        yield page.paint(" " * digits + " |", "gutter")
    for word, text in advice:
        yield from note_lines(word, text, digits, page)


def _excerpt(path: str, places: Sequence[Annotation], source: Source | None, *, own: bool) -> FileExcerpt:
    """Files change and vanish after they were checked; where a diagnostic's own place is gone, none is shown."""
    ranges = [clamp_range(source, place.range) if source else None for place in places]
    if own and ranges[0] is None:
        ranges = [None] * len(places)
    settles = list(zip(places, ranges, strict=True))
    settled_places = tuple(
        place if where is place.range else replace(place, range=where) for place, where in settles if where
    )
    lost = tuple(place for place, where in settles if not where)
    return FileExcerpt(path, places[0].range.start, source, settled_places, lost, own)


def _excerpt_lines(scene: FileExcerpt, digits: int, page: TextOutput) -> Iterator[str]:
    if scene.is_primary:
        yield location_line("-->", scene.path, scene.position, digits, page)
    elif scene.visible:
        yield page.paint(" " * digits + " |", "gutter")
        yield location_line(":::", scene.path, scene.visible[0].range.start, digits, page)
    if scene.source and scene.visible:
        yield from render_frame(scene.source, scene.visible, digits=digits, width=page.width, paint=page.paint)
    for place in scene.missing:
        if place.style == "related":
            yield location_line(":::", scene.path, place.range.start, digits, page) + ":"
            indent = digits + len("::: ")
            lines = wrap_text(escape_controls(place.message), first=page.width - indent, rest=page.width - indent)
            yield from (" " * indent + line for line in lines)


def location_line(sign: str, path: str, position: Position, digits: int, page: TextOutput) -> str:
    """Never broken, so that terminals and editors recognize it."""
    where = f"{escape_controls(path)}:{position.line}:{position.column}"
    return f"{' ' * digits}{page.paint(sign, 'gutter')} {page.paint(where, 'place')}"


def _advice(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    if diagnostic.help:
        yield "help", diagnostic.help
    if diagnostic.fix:
        yield "help", f"{diagnostic.fix.title} ({'safe' if diagnostic.fix.safe else 'unsafe'} fix)"
    if diagnostic.refusal:
        yield "note", f"no fix here: {diagnostic.refusal}"


def note_lines(word: str, text: str, digits: int, page: TextOutput) -> Iterator[str]:
    """A remark below a frame whose line numbers have so many digits, after its word."""
    indent = digits + len(f" = {word}: ")
    safe = "\n".join(escape_controls(line) for line in text.split("\n"))
    first, *others = wrap_text(safe, first=page.width - indent, rest=page.width - indent)
    sign, label = page.paint("=", "gutter"), page.paint(word, "help")
    yield f"{' ' * digits} {sign} {label}: {first}".rstrip()
    yield from ((" " * indent + line).rstrip() for line in others)
