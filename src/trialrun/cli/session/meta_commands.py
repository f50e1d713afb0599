"""What can be asked of a session that is typed, beside playing it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.cli.session.condition_tree import shown
from trialrun.cli.session.session_text import Report, ordered_lines, told_to_agent
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.model.suggest import nearest
from trialrun.report.format_value import z_form
from trialrun.report.table import joined, listed
from trialrun.report.terminal_width import visible
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrapped
from trialrun.runtime.channel_config.menu import Ordered
from trialrun.runtime.channel_config.script import VERBS, written
from trialrun.runtime.channel_config.session.actions import Add, Say
from trialrun.runtime.channel_config.session.turn import called

if TYPE_CHECKING:
    from trialrun.cli.session.repl_state import Conversation
    from trialrun.cli.session.writer import Sheet
    from trialrun.runtime.channel_config.menu import MenuOfBrand
    from trialrun.runtime.channel_config.session.turn import Turn

SAVED = "# trialrun session"
"""How a script begins that was saved; any other file is not written over."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something that can be asked of a session beside playing it; `takes` says what may follow, if anything."""

    carry_out: Callable[[Conversation, str], Iterator[str]]
    words: str
    takes: str = ""


def _help(conversation: Conversation, about: str) -> Iterator[str]:
    sheet = conversation.sheet
    yield sheet.paint("what the customer does; several things with semicolons", "gutter") + "\n"
    yield from _rows([[verb.form, verb.words] for verb in VERBS], sheet)
    if example := _example(conversation.staging.menu):
        yield from sheet.title(sheet.paint("for example", "gutter"), example)
    yield sheet.paint("what you can ask", "gutter") + "\n"
    named = {word: one for word, one in COMMANDS.items() if one.words}
    yield from _rows([[f"{word} {one.takes}".rstrip(), one.words] for word, one in named.items()], sheet)


def _example(menu: MenuOfBrand) -> str | None:
    """A line that could be typed here, with what is on the menu."""
    item = next((one for one in menu.items if one.modifiers), next(iter(menu.items), None))
    if item is None:
        return None
    ordered = Ordered(item, 2, item.modifiers[:1])
    return written([Add(ordered), Say("that's it for now")], menu)


def _rows(rows: Sequence[Sequence[str]], sheet: Sheet) -> Iterator[str]:
    """Two columns, the second broken where there is no room for it."""
    first = max(width_of(row[0]) for row in rows)
    begin = 2 + first + 2
    for one, words in rows:
        lines = wrapped(words, first=sheet.width - begin, rest=sheet.width - begin)
        yield f"  {sheet.paint(one, 'rule')}{' ' * (first - width_of(one))}  {lines[0]}\n"
        yield from (f"{' ' * begin}{line}\n" for line in lines[1:])


def _why(conversation: Conversation, about: str) -> Iterator[str]:
    """The reasons of the last turn; of one upsell, those of the last turn that spoke of it."""
    if not about:
        lines = list(_why_in(conversation.moments[-1].turn, conversation.sheet))
        yield from lines or conversation.sheet.told("", "no upsell was to be decided on", "gutter")
        return
    names = upsell_names(conversation)
    same = next((name for name in names if name.casefold() == about.strip('"').casefold()), None)
    if same is None:
        near = nearest(about, names, close=0.4)
        hint = f'; did you mean "{near}"?' if near else f"; there are {', '.join(names)}" if names else ""
        yield from conversation.sheet.told("", f'there is no upsell "{about}" at this store{hint}', "error")
        return
    for moment in reversed(conversation.moments):
        lines = list(_why_in(moment.turn, conversation.sheet, same))
        if lines:
            yield from lines
            return
    yield from conversation.sheet.told("", f'the moment of "{same}" was not yet', "gutter")


def _why_in(turn: Turn, sheet: Sheet, name: str | None = None) -> Iterator[str]:
    report = Report(sheet)
    lines = list(report.upsells(turn, name))
    if turn.offered or turn.passed_over if name is None else lines:
        yield from sheet.title(f"turn {turn.number}" if turn.number else "welcome", turn.customer)
        yield from lines


def upsell_names(conversation: Conversation) -> list[str]:
    """What the upsells in force are called."""
    strategy = conversation.staging.trial.in_force.upsell_strategy
    return [called(one) for one in (strategy.upsells or ())] if strategy else []


def _order(conversation: Conversation, about: str) -> Iterator[str]:
    yield from ordered_lines(conversation.session.order, conversation.sheet)


def _state(conversation: Conversation, about: str) -> Iterator[str]:
    rows = [[path, shown(value)] for path, value in flat(conversation.session.state) if path.startswith(about)]
    if not rows:
        yield from conversation.sheet.told("", f'nothing of the state begins with "{about}"', "error")
        return
    yield from (f"  {joined(cells)}\n" for cells in listed(rows, width=conversation.sheet.width - 2))


def flat(state: object, path: str = "") -> Iterator[tuple[str, object]]:
    """The values of the state, each with its path."""
    if isinstance(state, dict) and state:
        for key, value in state.items():
            yield from flat(value, f"{path}.{key}" if path else str(key))
    elif path:
        yield path, state


def _menu(conversation: Conversation, about: str) -> Iterator[str]:
    wanted = about.casefold()
    found = [one for one in conversation.staging.menu.items if wanted in one.name.casefold()]
    if not found:
        words = f'nothing on the menu has "{about}" in its name' if about else "there is no menu; any name is an item"
        yield from conversation.sheet.told("", words, "gutter")
        return
    rows = [[one.name, f"{one.price:.2f}" if one.price else ""] for one in found]
    yield from (f"  {joined(cells)}\n" for cells in listed(rows, width=conversation.sheet.width - 2, right=[1]))


def _instructions(conversation: Conversation, about: str) -> Iterator[str]:
    yield from told_to_agent(conversation.session, conversation.sheet)


def _undo(conversation: Conversation, about: str) -> Iterator[str]:
    """Take the last turn back, else what was set last before the first deed."""
    if len(conversation.moments) > 1:
        yield from conversation.sheet.told("undone", conversation.moments.pop().line)
    elif conversation.settings:
        yield from conversation.sheet.told("undone", conversation.settings.pop()[0])
        conversation.begin()
    else:
        yield from conversation.sheet.told("", "there is nothing to undo", "gutter")


def _new(conversation: Conversation, about: str) -> Iterator[str]:
    conversation.begin()
    yield from conversation.brief().turn(conversation.moments[0].turn)


def _save(conversation: Conversation, file: str) -> Iterator[str]:
    """Write the script so far, unless that would take the place of a file that is something else."""
    from trialrun.cli.atomic_output import write_whole

    if not file:
        yield from conversation.sheet.told("", "there is no file here; write save FILE", "error")
        return
    if _is_something_else(file):
        yield from conversation.sheet.told("", f"{file} is there, and is no saved script; name another", "error")
        return
    try:
        write_whole(file, _script(conversation, file))
    except UsageError as error:
        yield from conversation.sheet.told("", str(error), "error")
        return
    yield from conversation.sheet.told("saved", f"{file}; its first line says how it is played", "gutter")


def _is_something_else(file: str) -> bool:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return not stream.read(len(SAVED)).startswith(SAVED)
    except (OSError, ValueError):
        return False


def _script(conversation: Conversation, file: str) -> Iterator[str]:
    staging, session = conversation.staging, conversation.session
    language = f" --language {staging.language}" if staging.language else ""
    chosen = f"--seed {session.seed} --at {z_form(session.begin)}{language}"
    yield f"{SAVED} {conversation.title} {chosen} --script {shlex.quote(visible(file))}\n"
    yield from (f"{written([one])}\n" for one in staging.settings)
    yield from (f"{line}\n" for line, _ in conversation.settings)
    yield from (f"{moment.line}\n" for moment in conversation.moments[1:])


def _quit(conversation: Conversation, about: str) -> Iterator[str]:
    conversation.over = True
    yield from ()


COMMANDS = {
    "help": Command(_help, "show this"),
    "?": Command(_help, ""),
    "why": Command(_why, "why it was offered, or not; with the conditions", takes="[UPSELL]"),
    "order": Command(_order, "what is ordered"),
    "menu": Command(_menu, "what can be ordered", takes="[WORD]"),
    "state": Command(_state, "what conditions read", takes="[PATH]"),
    "instructions": Command(_instructions, "what the agent is told, and its tools"),
    "undo": Command(_undo, "take the last turn back"),
    "new": Command(_new, "begin again"),
    "save": Command(_save, "write what you typed as a script", takes="FILE"),
    "quit": Command(_quit, "leave; so does Ctrl-D"),
    "exit": Command(_quit, ""),
}
