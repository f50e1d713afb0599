"""What a search for surprises found, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.cli.notes import rows_text
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.replay import command_lines, shell_lines
from trialrun.report.color import Paint, Style
from trialrun.report.format_value import shown_moment
from trialrun.report.table import GAP, joined, listed, table
from trialrun.report.terminal_width import visible
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrapped
from trialrun.runtime.channel_config.explore.report import weights
from trialrun.runtime.channel_config.session.turn import called

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Example, Exploration, Kept, Share, Surprise
    from trialrun.runtime.channel_config.explore.profile import Habits

INDENT = "  "
MOST_REASONS = 3
HERE = "  <- here"
STYLES: dict[str, Style] = {"error": "error", "warning": "warning", "note": "note"}
HEAD = ("upsell", "offered", "accepted", "declined", "passed over for")


@dataclass(frozen=True)
class Sheet:
    """What is written on, and what every part of the report refers to."""

    store: str
    found: Exploration
    width: int
    paint: Paint
    access: Sequence[str]


def explore_text(
    title: str, found: Exploration, again: Sequence[str], access: Sequence[str], width: int, paint: Paint
) -> Iterator[str]:
    """The lines of a report: what was played, the shares of offers, every surprise, and how to play it again."""
    sheet = Sheet(title, found, width, paint, access)
    played = f"{found.sessions:,}" if found.sessions == found.wanted else f"{found.sessions:,} of {found.wanted:,}"
    aside = f"{played} sessions, {found.turns:,} turns, seed {found.seed}, at {shown_moment(found.begin)}"
    yield from _lines(f"{visible(title)}  {aside}", sheet, "gutter", name=visible(title))
    yield from _shares(sheet)
    for surprise in found.surprises:
        yield "\n"
        yield from _surprise(surprise, sheet)
    yield "\n"
    yield from _lines(_summary(found), sheet, None)
    yield from _lines(f"customers: {_habits(found.habits)}", sheet, "gutter")
    yield from (
        sheet.paint(f"{'again: ' if number == 0 else INDENT}{line}", "gutter") + "\n"
        for number, line in enumerate(command_lines(again, room=max(width - len("again: "), 1)))
    )
    yield from rows_text(found.assumptions, width=width, paint=paint)


def _lines(text: str, sheet: Sheet, style: Style | None, *, name: str = "", indent: str = "") -> Iterator[str]:
    """The lines of a text; a name at its beginning stands out."""
    room = sheet.width - len(indent)
    for number, line in enumerate(wrapped(text, first=room, rest=room - len(INDENT))):
        shown = sheet.paint(line, style) if style else line
        if number == 0 and name and line.startswith(name):
            rest = line[len(name) :]
            shown = sheet.paint(name, "rule") + (sheet.paint(rest, style) if style else rest)
        yield f"{indent}{INDENT if number else ''}{shown}\n"


def _shares(sheet: Sheet) -> Iterator[str]:
    shares = sheet.found.shares
    if not shares:
        yield f"{INDENT}no upsell is in force here\n"
        return
    yield "\n"
    rows = [HEAD, *(_row(one, sheet.found.sessions) for one in shares)]
    cells = _cells(rows, sheet.width)
    yield sheet.paint(joined(cells[0]), "help") + "\n"
    for line, share in zip(cells[1:], shares, strict=True):
        yield (sheet.paint(joined(line), "gutter") if share.upsell.disabled else joined(line)) + "\n"


def _cells(rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """The columns, without the last one where it would cost letters of the names."""
    fits = sum(max(map(width_of, column)) + GAP for column in zip(*rows, strict=True)) - GAP <= width
    shown = rows if fits else [row[:-1] for row in rows]
    right = (1, 2, 3)
    return table(shown, width=width, right=right, head=True) or listed(shown, width=width, right=right)


def _row(share: Share, sessions: int) -> tuple[str, ...]:
    name = visible(called(share.upsell))
    if share.upsell.disabled:
        return (name, "-", "-", "-", "disabled")
    numbers = [_percent(count, sessions) for count in (share.offered, share.accepted, share.declined)]
    if share.kind == "suggestion":
        numbers[1:] = ["-", "-"]
    return (name, *numbers, _most_often(share.kept, sessions))


def _most_often(kept: Sequence[Kept], sessions: int) -> str:
    return f"{kept[0].code} {_percent(kept[0].sessions, sessions)}" if kept else ""


def _percent(count: int, sessions: int) -> str:
    if not sessions or not count:
        return "0"
    share = count / sessions
    return "<0.1%" if share < 0.0005 else f"{share:.1%}"


def _often(kept: Sequence[Kept], sessions: int) -> str:
    """In how many sessions which reason kept an upsell back."""
    first, *rest = (f"{one.code} in {_percent(one.sessions, sessions)}" for one in kept[:MOST_REASONS])
    return ", ".join([f"{first} of sessions", *rest])


def _surprise(surprise: Surprise, sheet: Sheet) -> Iterator[str]:
    head = f"{surprise.weight}: {visible(surprise.message)} [{surprise.kind}]"
    yield from _titled(head, surprise, sheet)
    yield from _lines(_where(surprise, sheet.found.sessions), sheet, "place", indent=INDENT)
    if surprise.kept and not surprise.certain:
        reasons = _often(surprise.kept, sheet.found.sessions)
        yield from _lines(f"passed over: {reasons}", sheet, None, indent=INDENT)
    if surprise.near:
        yield from _lines(visible(surprise.near), sheet, None, indent=INDENT)
    if surprise.example:
        yield from _example(surprise.example, sheet)


def _titled(head: str, surprise: Surprise, sheet: Sheet) -> Iterator[str]:
    weight = surprise.weight
    for number, line in enumerate(wrapped(head, first=sheet.width, rest=sheet.width - len(INDENT))):
        if number == 0:
            yield sheet.paint(weight, STYLES[weight]) + line[len(weight) :] + "\n"
        else:
            yield f"{INDENT}{line}\n"


def _where(surprise: Surprise, sessions: int) -> str:
    origin = surprise.origin
    place = f"{visible(origin.path)}:{origin.line}, {origin.level}" if origin else ""
    often = f"in {f'{surprise.sessions:,}' if surprise.sessions else 'none'} of {sessions:,} sessions"
    return "; ".join(one for one in (place, "certain" if surprise.certain else often) if one)


def _example(example: Example, sheet: Sheet) -> Iterator[str]:
    told = [example.shows, "" if example.shortest else "there may be a shorter session, this one was not shortened"]
    for text in filter(None, told):
        yield from _lines(visible(text), sheet, None, indent=INDENT)
    for number, text in enumerate(("", *example.lines)):
        if text or number == example.turn:
            yield from _turn(number, text or "the welcome", sheet, here=number == example.turn)
    for line in shell_lines(sheet.store, example, sheet.access, room=sheet.width - len(INDENT) * 2):
        yield f"{INDENT * 2}{sheet.paint(visible(line), 'gutter')}\n"


def _turn(number: int, text: str, sheet: Sheet, *, here: bool) -> Iterator[str]:
    """A turn of the script, and whether it is the one that is meant."""
    room = sheet.width - len(INDENT) * 2 - len(f"{number}  ")
    lines = wrapped(f"{visible(text)}{HERE if here else ''}", first=room, rest=room)
    for at, line in enumerate(lines):
        shown = line.removesuffix(HERE.strip()) if here and at == len(lines) - 1 else line
        mark = sheet.paint(HERE.strip(), "help") if shown != line else ""
        yield f"{INDENT * 2}{number if at == 0 else ' ' * len(str(number))}  {shown}{mark}\n"


def _summary(found: Exploration) -> str:
    counts = weights(found.surprises)
    if not found.surprises:
        return "nothing surprising was found"
    listed = [f"{count} {weight}{'' if count == 1 else 's'}" for weight, count in counts.items() if count]
    return f"{len(found.surprises)} surprise{'' if len(found.surprises) == 1 else 's'}: {', '.join(listed)}"


def _habits(habits: Habits) -> str:
    from dataclasses import asdict

    return ", ".join(f"{name} {value:g}" for name, value in asdict(habits).items())
