"""A session that is typed: what each line does to it, and what is answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from trialrun.cli.session.meta_commands import COMMANDS
from trialrun.cli.session.script_file import range_of
from trialrun.cli.session.session_text import Report, total
from trialrun.cli.session.writer import Sheet
from trialrun.lazy_dataclass import dataclass
from trialrun.model.suggest import nearest
from trialrun.report.code_frame import Place, frame
from trialrun.runtime.channel_config.script import VERBS, Mistake, ScriptError, ScriptLine, divided, parse
from trialrun.runtime.channel_config.session.actions import CannotMove, SetState
from trialrun.text import Source

if TYPE_CHECKING:
    from trialrun.cli.session.session_factory import Staging
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Turn

SPELLINGS = {spelling for verb in VERBS for spelling in verb.spellings}


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
        self.begin()

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

    def begin(self, more: Sequence[SetState] = ()) -> None:
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
                self.begin(settings)
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
