"""What a search for surprises found, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from trialrun.cli.notes import assumption_rows
from trialrun.outputs.replay import command_lines, replay_lines
from trialrun.report.color import Paint, Style
from trialrun.report.format_value import GAP, align_columns, align_if_wide_enough, format_time, join_cells
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls, wrap_text
from trialrun.report.terminal_width import width as width_of
from trialrun.runtime.channel_config.session.turn import upsell_name

if TYPE_CHECKING:
    from trialrun.outputs.explore import Explored, Surprise, UpsellShare
    from trialrun.runtime.channel_config.explore.anomaly import Example

INDENT = "  "
MAX_REASONS = 3
MARKER = "  <- here"
STYLES: dict[str, Style] = {"error": "error", "warning": "warning", "note": "note"}
HEAD = ("upsell", "offered", "accepted", "declined", "skipped for")


@dataclass(frozen=True)
class Sheet:
    """What is written on: the title of the store, the width of a line, colors, and the options of what is read."""

    store: str
    width: int
    paint: Paint
    access: Sequence[str]


def explore_text(explored: Explored, sheet: Sheet, *, equal: Sequence[str] = (), is_last: bool = True) -> Iterator[str]:
    """The lines of a report: what was played, the shares of offers, every surprise, and how to play it again.

    `equal` are the titles of other stores for which all of it holds. The last of several reports says what they have in
    common.
    """
    title = escape_controls(sheet.store)
    whole = explored.sessions == explored.sessions_wanted
    played = f"{explored.sessions:,}" + ("" if whole else f" of {explored.sessions_wanted:,}")
    begin = format_time(explored.at)
    summary = f"{played} sessions, {explored.turns:,} turns, seed {explored.seed}, at {begin}"
    yield from text_lines(f"{title}  {summary}", sheet, "gutter", name=title)
    if equal:
        yield from text_lines(f"the same at {escape_controls(', '.join(equal))}", sheet, "gutter", indent=INDENT)
    yield from _shares(explored, sheet)
    for surprise in explored.surprises:
        yield "\n"
        yield from _surprise(surprise, explored.sessions, sheet)
    yield "\n"
    yield from text_lines(_summary(explored), sheet, None)
    if is_last:
        habits = ", ".join(f"{name} {value:g}" for name, value in asdict(explored.habits).items())
        yield from text_lines(f"customers: {habits}", sheet, "gutter")
    for number, line in enumerate(command_lines(explored.command, room=max(sheet.width - len("again: "), 1))):
        yield sheet.paint(f"{'again: ' if number == 0 else INDENT}{line}", "gutter") + "\n"
    if is_last:
        yield from assumption_rows(explored.assumptions, width=sheet.width, paint=sheet.paint)


def text_lines(text: str, sheet: Sheet, style: Style | None, *, name: str = "", indent: str = "") -> Iterator[str]:
    """The lines of a text; a name at its beginning stands out."""
    room = sheet.width - len(indent)
    for number, line in enumerate(wrap_text(text, first=room, rest=room - len(INDENT))):
        shown = sheet.paint(line, style) if style else line
        if number == 0 and name and line.startswith(name):
            rest = line[len(name) :]
            shown = sheet.paint(name, "rule") + (sheet.paint(rest, style) if style else rest)
        yield f"{indent}{INDENT if number else ''}{shown}\n"


def _shares(explored: Explored, sheet: Sheet) -> Iterator[str]:
    shares = explored.upsells
    if not shares:
        yield f"{INDENT}no upsell is active here\n"
        return
    yield "\n"
    rows = [HEAD, *(_row(share, explored.sessions) for share in shares)]
    # without the last column where it would cost letters of the names
    fits = sum(max(map(width_of, column)) + GAP for column in zip(*rows, strict=True)) - GAP <= sheet.width
    shown, right = rows if fits else [row[:-1] for row in rows], (1, 2, 3)
    cells = align_columns(shown, width=sheet.width, right=right, head=True)
    cells = cells or align_if_wide_enough(shown, width=sheet.width, right=right)
    yield sheet.paint(join_cells(cells[0]), "help") + "\n"
    for line, share in zip(cells[1:], shares, strict=True):
        yield (sheet.paint(join_cells(line), "gutter") if share.disabled else join_cells(line)) + "\n"


def _row(share: UpsellShare, sessions: int) -> tuple[str, ...]:
    name = escape_controls(upsell_name(share.upsell))
    if share.disabled:
        return (name, "-", "-", "-", "disabled")
    numbers = [_percent(count) for count in (share.offered, share.accepted, share.declined)]
    if share.kind == "suggestion":
        numbers[1:] = ["-", "-"]
    most_often = [f"{kept.reason} {_percent(kept.sessions / sessions)}" for kept in share.passed_over[:1]]
    return (name, *numbers, *(most_often or [""]))


def _percent(share: float) -> str:
    if not share:
        return "0"
    return "<0.1%" if share < 0.0005 else f"{share:.1%}"


def _surprise(surprise: Surprise, sessions: int, sheet: Sheet) -> Iterator[str]:
    weight = surprise.severity
    head = f"{weight}: {escape_controls(surprise.message)} [{surprise.kind}]"
    for number, line in enumerate(wrap_text(head, first=sheet.width, rest=sheet.width - len(INDENT))):
        yield f"{INDENT}{line}\n" if number else sheet.paint(weight, STYLES[weight]) + line[len(weight) :] + "\n"
    origin = surprise.origin
    place = f"{escape_controls(origin['path'])}:{origin['line']}, {origin['level']}" if origin else ""
    often = f"in {f'{surprise.sessions:,}' if surprise.sessions else 'none'} of {sessions:,} sessions"
    where = "; ".join(
        filter(None, (place, ("proved" if surprise.is_proved else "certain") if surprise.certain else often))
    )
    yield from text_lines(where, sheet, "place", indent=INDENT)
    if surprise.passed_over and not surprise.certain:
        reasons = [
            f"{kept.reason} in {_percent(kept.sessions / sessions)}" for kept in surprise.passed_over[:MAX_REASONS]
        ]
        reasons[0] += " of sessions"
        yield from text_lines(f"skipped: {', '.join(reasons)}", sheet, None, indent=INDENT)
    if surprise.nearest:
        yield from text_lines(escape_controls(surprise.nearest), sheet, None, indent=INDENT)
    if surprise.example:
        yield from example_text(surprise.example, sheet)


def example_text(example: Example, sheet: Sheet) -> Iterator[str]:
    """The lines of an example: what it shows, its script, and the command that plays it."""
    notes = [example.shows, "" if example.shortest else "a shorter session may exist; this one was not shortened"]
    for text in filter(None, notes):
        yield from text_lines(escape_controls(text), sheet, None, indent=INDENT)
    for number, text in enumerate(("", *example.lines)):
        if text or number == example.turn:
            yield from _turn(number, text or "the welcome", sheet, here=number == example.turn)
    for line in replay_lines(sheet.store, example, sheet.access, room=sheet.width - len(INDENT) * 2):
        yield f"{INDENT * 2}{sheet.paint(escape_controls(line), 'gutter')}\n"


def _turn(number: int, text: str, sheet: Sheet, *, here: bool) -> Iterator[str]:
    """A turn of the script, and whether it is the one that is meant."""
    room = sheet.width - len(INDENT) * 2 - len(f"{number}  ")
    lines = wrap_text(f"{escape_controls(text)}{MARKER if here else ''}", first=room, rest=room)
    for at, line in enumerate(lines):
        shown = line.removesuffix(MARKER.strip()) if here and at == len(lines) - 1 else line
        mark = sheet.paint(MARKER.strip(), "help") if shown != line else ""
        yield f"{INDENT * 2}{number if at == 0 else ' ' * len(str(number))}  {shown}{mark}\n"


def _summary(explored: Explored) -> str:
    if not explored.surprises:
        return "nothing unexpected was found"
    listed = [pluralize(count, weight) for weight, count in explored.summary.items() if count]
    return f"{pluralize(len(explored.surprises), 'surprise')}: {', '.join(listed)}"
