"""A session that is typed: what each line does to it, and what is answered."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from trialrun.cli.trial.session.script_file import range_of
from trialrun.cli.trial.session.sheet import Sheet
from trialrun.cli.trial.session.text import Report, ordered_lines, told_to_agent, total
from trialrun.cli.trial.session.tree import shown
from trialrun.model.near import nearest
from trialrun.record import dataclass
from trialrun.report.cells import visible
from trialrun.report.cells import width as width_of
from trialrun.report.frame import Place, frame
from trialrun.report.table import joined, listed
from trialrun.report.value import z_form
from trialrun.report.wrap import wrapped
from trialrun.runtime.channel_config.menu import Ordered
from trialrun.runtime.channel_config.script import VERBS, Mistake, ScriptError, ScriptLine, divided, parse, written
from trialrun.runtime.channel_config.session.move import Add, CannotMove, Say, SetState
from trialrun.runtime.channel_config.session.turn import called
from trialrun.text import Source
from trialrun.usage import UsageError

if TYPE_CHECKING:
    from trialrun.cli.trial.session.staging import Staging
    from trialrun.runtime.channel_config.menu import MenuOfBrand
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Turn

SPELLINGS = {spelling for verb in VERBS for spelling in verb.spellings}
SAVED = "# trialrun session"
"""How a script begins that was saved; any other file is not written over."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A session after a turn, and the line that was typed for it."""

    session: Session
    turn: Turn
    line: str = ""


@dataclass
class Conversation:
    """A session that is typed; every line is answered with the lines to show. `over` says that it was left."""

    staging: Staging
    title: str
    sheet: Sheet
    moments: list[Moment] = field(default_factory=list)
    settings: list[tuple[str, Sequence[SetState]]] = field(default_factory=list)
    over: bool = False

    def __post_init__(self) -> None:
        self._begin()

    @property
    def session(self) -> Session:
        """The session as it is now."""
        return self.moments[-1].session

    @property
    def prompt(self) -> str:
        """What is asked with: the turn that comes, and the total of the order."""
        cost = f", {total(self.session.order):.2f}" if total(self.session.order) else ""
        turn = "complete" if self.session.finished else f"turn {self.session.number + 1}"
        return f"{turn}{cost}> "

    def answer(self, line: str) -> Iterator[str]:
        """What a line does, and what is shown for it."""
        word, _, rest = line.strip().partition(" ")
        told = COMMANDS.get(word.lower())
        if told and (rest.strip() == "" or told.takes):
            yield from told.carry_out(self, rest.strip())
        elif told and word.lower() not in SPELLINGS:
            yield from self.sheet.told("", f"{word} stands alone", "error")
        elif line.strip():
            yield from self._played(line)

    def _begin(self, more: Sequence[SetState] = ()) -> None:
        """A new session, with what was set before its first deed."""
        given = [one for _, settings in self.settings for one in settings]
        session = self.staging.session([*given, *more])
        self.moments[:] = [Moment(session, session.welcome())]

    def _played(self, text: str) -> Iterator[str]:
        try:
            lines = parse(text, self.staging.menu)
            for line in lines:
                yield from self._turn(line)
        except ScriptError as error:
            yield from self._wrong(text, [_with_commands(one, text) for one in error.mistakes])

    def _turn(self, line: ScriptLine) -> Iterator[str]:
        settings, turns = divided([line])
        try:
            if settings and not turns and len(self.moments) == 1:
                self._begin(settings)
                self.settings.append((line.text, settings))
                yield from self.sheet.told("is sent", "from the welcome on", "gutter")
                return
            session = self.session.fork()
            turn = session.turn(line.moves, line.text)
        except CannotMove as error:
            yield from self._wrong(line.text, [line.mistake(error.move, str(error))])
            return
        self.moments.append(Moment(session, turn, line.text))
        yield from self.brief().turn(turn)

    def brief(self) -> Report:
        """The report of what is new in a turn."""
        before = self.moments[-2] if len(self.moments) > 1 else self.moments[-1]
        return Report(self.sheet, reasons=False, language=before.turn.language)

    def _wrong(self, text: str, mistakes: Sequence[Mistake]) -> Iterator[str]:
        """What is wrong with a line, under the line."""
        source = Source("", text)
        places = [Place(range_of(one), "error", one.message) for one in mistakes]
        rows = frame(source, places, digits=1, width=self.sheet.width, paint=self.sheet.paint)
        yield from (f"{row}\n" for row in list(rows)[1:])


def _with_commands(mistake: Mistake, text: str) -> Mistake:
    """A mistake about a word that is no verb, with the nearest of the commands beside the verbs."""
    word = text.split()[0]
    near = nearest(word.lower(), COMMANDS, close=0.6)
    if not mistake.message.startswith(f'there is no verb "{word}"') or near is None:
        return mistake
    return Mistake(mistake.line, mistake.column, mistake.end, f'there is no "{word}"; did you mean "{near}"?')


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
        conversation._begin()
    else:
        yield from conversation.sheet.told("", "there is nothing to undo", "gutter")


def _new(conversation: Conversation, about: str) -> Iterator[str]:
    conversation._begin()
    yield from conversation.brief().turn(conversation.moments[0].turn)


def _save(conversation: Conversation, file: str) -> Iterator[str]:
    """Write the script so far, unless that would take the place of a file that is something else."""
    from trialrun.cli.output_file import write_whole

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
