"""One finding as a person reads it: its message, its place, the lines that it is about, and how to mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from trialrun.diagnostic import Diagnostic
from trialrun.lazy_dataclass import dataclass
from trialrun.report.code_frame import Place, frame, settled
from trialrun.report.color import Paint, severity_style
from trialrun.report.terminal_width import visible
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrapped
from trialrun.text import Position, Source

HANGING = 4
"""The blanks before the further lines of a message."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a report is written on."""

    sources: Callable[[str], Source | None]
    width: int
    paint: Paint


@dataclass(frozen=True, slots=True)
class Scene:
    """The places of one file that a diagnostic speaks of: those that can be shown, settled, and those that cannot.

    `position` is where the first of them is; `own` says that it is the diagnostic's.
    """

    path: str
    position: Position
    source: Source | None
    shown: tuple[Place, ...]
    lost: tuple[Place, ...]
    own: bool


def finding(diagnostic: Diagnostic, page: Page) -> Iterator[str]:
    """The lines of a finding; none is wider than the page, but for words and paths that are."""
    scenes = list(_scenes(diagnostic, page))
    digits = len(str(max((place.range.end.line for scene in scenes for place in scene.shown), default=1)))
    yield from _headline(diagnostic, page)
    for scene in scenes:
        yield from _scene_lines(scene, digits, page)
    advice = list(_advice(diagnostic))
    if advice and any(scene.shown for scene in scenes):
        yield _edge(digits, page)
    for word, text in advice:
        yield from advice_lines(word, text, digits, page)


def _headline(diagnostic: Diagnostic, page: Page) -> Iterator[str]:
    word, rule = diagnostic.severity.word, f"[{visible(diagnostic.rule)}]"
    room = page.width - width_of(word + rule) - len(": ")
    first, *others = wrapped(visible(diagnostic.message), first=room, rest=page.width - HANGING)
    yield f"{page.paint(word, severity_style(diagnostic.severity))}{page.paint(rule, 'rule')}: {first}".rstrip()
    yield from (" " * HANGING + line for line in others)


def _scenes(diagnostic: Diagnostic, page: Page) -> Iterator[Scene]:
    """The diagnostic's own file, then every other one that it speaks of."""
    places = {diagnostic.path: [Place(diagnostic.range, severity_style(diagnostic.severity))]}
    for related in diagnostic.related:
        places.setdefault(related.path, []).append(Place(related.range, "related", related.message))
    for path, here in places.items():
        yield _scene(path, here, page.sources(path), own=path == diagnostic.path)


def _scene(path: str, places: Sequence[Place], source: Source | None, *, own: bool) -> Scene:
    """Files change and vanish after they were checked; where a diagnostic's own place is gone, none is shown."""
    ranges = [settled(source, place.range) if source else None for place in places]
    if own and ranges[0] is None:
        ranges = [None] * len(places)
    settles = list(zip(places, ranges, strict=True))
    shown = tuple(replace(place, range=where) for place, where in settles if where)
    lost = tuple(place for place, where in settles if not where)
    return Scene(path, places[0].range.start, source, shown, lost, own)


def _scene_lines(scene: Scene, digits: int, page: Page) -> Iterator[str]:
    if scene.own:
        yield arrow("-->", scene.path, scene.position, digits, page)
    elif scene.shown:
        yield _edge(digits, page)
        yield arrow(":::", scene.path, scene.shown[0].range.start, digits, page)
    if scene.source and scene.shown:
        yield from frame(scene.source, scene.shown, digits=digits, width=page.width, paint=page.paint)
    for place in scene.lost:
        if place.style == "related":
            yield arrow(":::", scene.path, place.range.start, digits, page) + ":"
            yield from _indented(visible(place.message), digits + len("::: "), page)


def arrow(sign: str, path: str, position: Position, digits: int, page: Page) -> str:
    """Never broken, so that terminals and editors recognize it."""
    where = f"{visible(path)}:{position.line}:{position.column}"
    return f"{' ' * digits}{page.paint(sign, 'gutter')} {page.paint(where, 'place')}"


def _indented(text: str, indent: int, page: Page) -> Iterator[str]:
    room = page.width - indent
    yield from (" " * indent + line for line in wrapped(text, first=room, rest=room))


def _edge(digits: int, page: Page) -> str:
    return page.paint(" " * digits + " |", "gutter")


def _advice(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    if diagnostic.help:
        yield "help", diagnostic.help
    if diagnostic.fix:
        yield "help", f"{diagnostic.fix.title} ({'safe' if diagnostic.fix.safe else 'unsafe'} fix)"
    if diagnostic.refusal:
        yield "note", f"no fix here: {diagnostic.refusal}"


def advice_lines(word: str, text: str, digits: int, page: Page) -> Iterator[str]:
    """A remark below a frame whose line numbers have so many digits, after its word."""
    indent = digits + len(f" = {word}: ")
    safe = "\n".join(visible(line) for line in text.split("\n"))
    first, *others = wrapped(safe, first=page.width - indent, rest=page.width - indent)
    sign, named = page.paint("=", "gutter"), page.paint(word, "help")
    yield f"{' ' * digits} {sign} {named}: {first}".rstrip()
    yield from ((" " * indent + line).rstrip() for line in others)
