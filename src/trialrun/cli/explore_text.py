"""What a search for surprises found, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.cli.notes import assumption_rows
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.explore import command_lines, replay_lines
from trialrun.report.color import Paint, Style
from trialrun.report.format_value import format_timestamp
from trialrun.report.summary import pluralize
from trialrun.report.table import GAP, align_columns, align_if_wide_enough, join_cells
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrap_text
from trialrun.runtime.channel_config.explore.report import count_by_severity
from trialrun.runtime.channel_config.session.turn import upsell_name

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Anomaly, Example, Exploration, OfferShare, SkipCount
    from trialrun.runtime.channel_config.explore.simulated_customer import CustomerProfile

INDENT = "  "
MAX_REASONS = 3
MARKER = "  <- here"
STYLES: dict[str, Style] = {"error": "error", "warning": "warning", "note": "note"}
HEAD = ("upsell", "offered", "accepted", "declined", "skipped for")


@dataclass(frozen=True)
class ReportContext:
    """What is written on, and what every part of the report refers to."""

    store: str
    found: Exploration
    width: int
    paint: Paint
    access: Sequence[str]


def explore_text(
    title: str,
    exploration: Exploration,
    again: Sequence[str],
    access: Sequence[str],
    width: int,
    paint: Paint,
    *,
    equal: Sequence[str] = (),
    is_last: bool = True,
) -> Iterator[str]:
    """The lines of a report: what was played, the shares of offers, every surprise, and how to play it again.

    `equal` are the titles of other stores for which all of it holds. The last of several reports says what they have in
    common.
    """
    sheet = ReportContext(title, exploration, width, paint, access)
    played = (
        f"{exploration.sessions:,}"
        if exploration.sessions == exploration.requested_sessions
        else f"{exploration.sessions:,} of {exploration.requested_sessions:,}"
    )
    begin = format_timestamp(exploration.begin)
    summary = f"{played} sessions, {exploration.turns:,} turns, seed {exploration.seed}, at {begin}"
    yield from _lines(f"{escape_controls(title)}  {summary}", sheet, "gutter", name=escape_controls(title))
    if equal:
        yield from _lines(f"the same at {escape_controls(', '.join(equal))}", sheet, "gutter", indent=INDENT)
    yield from _shares(sheet)
    for surprise in exploration.anomalies:
        yield "\n"
        yield from _surprise(surprise, sheet)
    yield "\n"
    yield from _lines(_summary(exploration), sheet, None)
    if is_last:
        yield from _lines(f"customers: {_profile_options(exploration.profile)}", sheet, "gutter")
    yield from (
        sheet.paint(f"{'again: ' if number == 0 else INDENT}{line}", "gutter") + "\n"
        for number, line in enumerate(command_lines(again, room=max(width - len("again: "), 1)))
    )
    if is_last:
        yield from assumption_rows(exploration.assumptions, width=width, paint=paint)


def _lines(text: str, sheet: ReportContext, style: Style | None, *, name: str = "", indent: str = "") -> Iterator[str]:
    """The lines of a text; a name at its beginning stands out."""
    room = sheet.width - len(indent)
    for number, line in enumerate(wrap_text(text, first=room, rest=room - len(INDENT))):
        shown = sheet.paint(line, style) if style else line
        if number == 0 and name and line.startswith(name):
            rest = line[len(name) :]
            shown = sheet.paint(name, "rule") + (sheet.paint(rest, style) if style else rest)
        yield f"{indent}{INDENT if number else ''}{shown}\n"


def _shares(sheet: ReportContext) -> Iterator[str]:
    shares = sheet.found.shares
    if not shares:
        yield f"{INDENT}no upsell is active here\n"
        return
    yield "\n"
    rows = [HEAD, *(_row(share, sheet.found.sessions) for share in shares)]
    cells = _cells(rows, sheet.width)
    yield sheet.paint(join_cells(cells[0]), "help") + "\n"
    for line, share in zip(cells[1:], shares, strict=True):
        yield (sheet.paint(join_cells(line), "gutter") if share.upsell.disabled else join_cells(line)) + "\n"


def _cells(rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """The columns, without the last one where it would cost letters of the names."""
    fits = sum(max(map(width_of, column)) + GAP for column in zip(*rows, strict=True)) - GAP <= width
    shown = rows if fits else [row[:-1] for row in rows]
    right = (1, 2, 3)
    return align_columns(shown, width=width, right=right, head=True) or align_if_wide_enough(
        shown, width=width, right=right
    )


def _row(share: OfferShare, sessions: int) -> tuple[str, ...]:
    name = escape_controls(upsell_name(share.upsell))
    if share.upsell.disabled:
        return (name, "-", "-", "-", "disabled")
    numbers = [_percent(count, sessions) for count in (share.offered, share.accepted, share.declined)]
    if share.kind == "suggestion":
        numbers[1:] = ["-", "-"]
    return (name, *numbers, _most_often(share.skip_counts, sessions))


def _most_often(kept: Sequence[SkipCount], sessions: int) -> str:
    return f"{kept[0].code} {_percent(kept[0].sessions, sessions)}" if kept else ""


def _percent(count: int, sessions: int) -> str:
    if not sessions or not count:
        return "0"
    share = count / sessions
    return "<0.1%" if share < 0.0005 else f"{share:.1%}"


def _reason_counts(kept: Sequence[SkipCount], sessions: int) -> str:
    """In how many sessions which reason kept an upsell back."""
    first, *rest = (
        f"{diagnostic.code} in {_percent(diagnostic.sessions, sessions)}" for diagnostic in kept[:MAX_REASONS]
    )
    return ", ".join([f"{first} of sessions", *rest])


def _surprise(surprise: Anomaly, sheet: ReportContext) -> Iterator[str]:
    head = f"{surprise.severity}: {escape_controls(surprise.message)} [{surprise.kind}]"
    yield from _title_line(head, surprise, sheet)
    yield from _lines(_locations(surprise, sheet.found.sessions), sheet, "place", indent=INDENT)
    if surprise.skip_counts and not surprise.is_certain:
        reasons = _reason_counts(surprise.skip_counts, sheet.found.sessions)
        yield from _lines(f"skipped: {reasons}", sheet, None, indent=INDENT)
    if surprise.near_miss:
        yield from _lines(escape_controls(surprise.near_miss), sheet, None, indent=INDENT)
    if surprise.example:
        yield from _example(surprise.example, sheet)


def _title_line(head: str, surprise: Anomaly, sheet: ReportContext) -> Iterator[str]:
    weight = surprise.severity
    for number, line in enumerate(wrap_text(head, first=sheet.width, rest=sheet.width - len(INDENT))):
        if number == 0:
            yield sheet.paint(weight, STYLES[weight]) + line[len(weight) :] + "\n"
        else:
            yield f"{INDENT}{line}\n"


def _locations(surprise: Anomaly, sessions: int) -> str:
    origin = surprise.origin
    place = f"{escape_controls(origin.path)}:{origin.line}, {origin.level}" if origin else ""
    often = f"in {f'{surprise.sessions:,}' if surprise.sessions else 'none'} of {sessions:,} sessions"
    return "; ".join(one for one in (place, "certain" if surprise.is_certain else often) if one)


def _example(example: Example, sheet: ReportContext) -> Iterator[str]:
    notes = [example.shows, "" if example.shortest else "a shorter session may exist; this one was not shortened"]
    for text in filter(None, notes):
        yield from _lines(escape_controls(text), sheet, None, indent=INDENT)
    for number, text in enumerate(("", *example.lines)):
        if text or number == example.turn:
            yield from _turn(number, text or "the welcome", sheet, here=number == example.turn)
    for line in replay_lines(sheet.store, example, sheet.access, room=sheet.width - len(INDENT) * 2):
        yield f"{INDENT * 2}{sheet.paint(escape_controls(line), 'gutter')}\n"


def _turn(number: int, text: str, sheet: ReportContext, *, here: bool) -> Iterator[str]:
    """A turn of the script, and whether it is the one that is meant."""
    room = sheet.width - len(INDENT) * 2 - len(f"{number}  ")
    lines = wrap_text(f"{escape_controls(text)}{MARKER if here else ''}", first=room, rest=room)
    for at, line in enumerate(lines):
        shown = line.removesuffix(MARKER.strip()) if here and at == len(lines) - 1 else line
        mark = sheet.paint(MARKER.strip(), "help") if shown != line else ""
        yield f"{INDENT * 2}{number if at == 0 else ' ' * len(str(number))}  {shown}{mark}\n"


def _summary(exploration: Exploration) -> str:
    counts = count_by_severity(exploration.anomalies)
    if not exploration.anomalies:
        return "nothing unexpected was found"
    listed = [pluralize(count, weight) for weight, count in counts.items() if count]
    return f"{pluralize(len(exploration.anomalies), 'surprise')}: {', '.join(listed)}"


def _profile_options(habits: CustomerProfile) -> str:
    from dataclasses import asdict

    return ", ".join(f"{name} {value:g}" for name, value in asdict(habits).items())
