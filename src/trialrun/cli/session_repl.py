"""Sessions from command options and scripts, and what each line does to an interactive one."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trialrun.cli.session_text import SessionReport, TextWriter, order_total
from trialrun.cli.stores import store_title
from trialrun.diagnostic import Diagnostic, Range, Severity
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import resolve_target
from trialrun.outputs.scenarios import scenario_document
from trialrun.parser.decode import decode
from trialrun.report.code_frame import Annotation, render_frame
from trialrun.runtime.channel_config.script import (
    VERBS,
    ScriptError,
    ScriptLine,
    ScriptMistake,
    parse,
    parse_setting,
    split_settings,
)
from trialrun.runtime.channel_config.session.actions import ActionError, SetState, build_client_state
from trialrun.text import Position, Source
from trialrun.values.suggest import suggest

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import BrandMenu
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Turn
    from trialrun.workspace.store_dry_run import StoreDryRun

SCRIPT_NAME = "script"
"""Shown in place of a rule id."""
STANDARD_INPUT = "standard input"


def invalid_script(source: Source, mistakes: Sequence[ScriptMistake]) -> UsageError:
    """The refusal of a script with mistakes, each with its location."""
    message = "; ".join(f"{source.path}:{mistake.line}:{mistake.column}: {mistake.message}" for mistake in mistakes)
    diagnostics = [
        Diagnostic(SCRIPT_NAME, Severity.ERROR, mistake.message, source.path, range_of(mistake)) for mistake in mistakes
    ]
    return UsageError(message, diagnostics=diagnostics, sources={source.path: source})


def range_of(mistake: ScriptMistake) -> Range:
    """The range of a mistake."""
    return Range(Position(mistake.line, mistake.column), Position(mistake.line, mistake.end))


def read_script(file: str) -> Source:
    """The text of a script; `-` is standard input. Raises UsageError."""
    path = STANDARD_INPUT if file == "-" else file
    try:
        if file == "-":
            data = sys.stdin.buffer.read()
        else:
            resolve_target(file, named_in=os.getcwd())
            with open(file, "rb") as stream:
                data = stream.read()
    except FileNotFoundError as error:
        raise UsageError(f"there is no script {file}") from error
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"there is no script {file}: file names cannot contain NUL") from error
    except OSError as error:
        raise UsageError(f"the script {path} cannot be read: {os_error_reason(error)}") from error
    decoded = decode(data, path)
    for parse_error in decoded.errors:
        line = decoded.source.position(parse_error.span.start).line
        raise UsageError(f"the script {path} cannot be read: line {line}: {parse_error.message}")
    return decoded.source


def parse_script(source: Source, menu: BrandMenu) -> list[ScriptLine]:
    """Parse a script into turns. Raises UsageError with the mistakes."""
    try:
        return parse(source.text, menu)
    except ScriptError as error:
        raise invalid_script(source, error.mistakes) from error


@dataclass
class SessionFactory:
    """A store, and the initial state of its sessions; `settings` are those of the command line."""

    trial: StoreDryRun
    seed: int
    language: str | None
    settings: Sequence[SetState]

    @property
    def menu(self) -> BrandMenu:
        """The menu of the store's brand."""
        return self.trial.menu

    def create_session(self, settings: Sequence[SetState] = ()) -> Session:
        """A new session, with the settings at the start of a script. Raises ActionError for an invalid setting."""
        given = [*self.settings, *settings]
        try:
            return self.trial.begin_session(seed=self.seed, language=self.language, state=build_client_state(given))
        except ActionError as error:
            steps = error.action.path if isinstance(error.action, SetState) else ()
            for setting in reversed(settings if steps else ()):  # that of the script which is at fault
                if setting.path[: len(steps)] == steps[: len(setting.path)]:
                    raise ActionError(setting, str(error)) from error
            option = "--set" if isinstance(error.action, SetState) else "--language"
            raise UsageError(f"{option}: {error}") from error

    def scenario(self, session: Session, settings: Sequence[SetState], turns: Sequence[Turn]) -> dict[str, Any]:
        """The Scenario of a session of this store; `settings` are those at the start of its script."""
        name, given = f"Session at {store_title(self.trial)}", [*self.settings, *settings]
        return scenario_document(name, self.trial, session, turns, language=self.language, settings=given)


def parse_settings(texts: Iterable[str]) -> list[SetState]:
    """Parse the values of `--set`. Raises UsageError."""
    try:
        return [parse_setting(text) for text in texts]
    except ScriptError as error:
        raise UsageError(f"--set: {error}") from error


SPELLINGS = {spelling for verb in VERBS for spelling in verb.spellings}


@dataclass(frozen=True, slots=True)
class TypedTurn:
    """A session after a turn, and the line that was typed for it."""

    session: Session
    turn: Turn
    line: str = ""


@dataclass(frozen=True, slots=True)
class MetaCommand:
    """A command of the prompt that is not a customer action; `argument` describes its argument, if it has one."""

    run: Callable[[Repl, str], Iterator[str]]
    summary: str
    argument: str = ""


@dataclass
class Repl:
    """An interactive session; `is_over` means that the user has left it."""

    staging: SessionFactory
    title: str
    sheet: TextWriter
    commands: Mapping[str, MetaCommand]
    turns: list[TypedTurn] = field(default_factory=list)
    settings: list[tuple[str, Sequence[SetState]]] = field(default_factory=list)
    is_over: bool = False

    def __post_init__(self) -> None:
        self.restart()

    @property
    def session(self) -> Session:
        """The current session."""
        return self.turns[-1].session

    @property
    def scenario(self) -> dict[str, Any]:
        """The Scenario of the session so far."""
        given = [setting for _, settings in self.settings for setting in settings]
        return self.staging.scenario(self.session, given, [typed.turn for typed in self.turns])

    @property
    def prompt(self) -> str:
        """The prompt: the number of the next turn and the total of the order."""
        cost = f", {order_total(self.session.order):.2f}" if order_total(self.session.order) else ""
        turn = "complete" if self.session.finished else f"turn {self.session.number + 1}"
        return f"{turn}{cost}> "

    def answer(self, line: str) -> Iterator[str]:
        """Execute a line; yields its output."""
        word, _, rest = line.strip().partition(" ")
        meta_command = self.commands.get(word.lower())
        if meta_command and (rest.strip() == "" or meta_command.argument):
            yield from meta_command.run(self, rest.strip())
        elif meta_command and word.lower() not in SPELLINGS:
            yield from self.sheet.labelled_lines("", f"{word} takes no argument", "error")
        elif line.strip():
            yield from self._play(line)

    def restart(self, more: Sequence[SetState] = ()) -> None:
        """Start a new session with the initial settings and `more`."""
        given = [setting for _, settings in self.settings for setting in settings]
        session = self.staging.create_session([*given, *more])
        self.turns[:] = [TypedTurn(session, session.welcome())]

    def _play(self, text: str) -> Iterator[str]:
        try:
            lines = parse(text, self.staging.menu)
            for line in lines:
                yield from self._play_turn(line)
        except ScriptError as error:
            yield from self._error_lines(
                text, [_with_commands(mistake, text, self.commands) for mistake in error.mistakes]
            )

    def _play_turn(self, line: ScriptLine) -> Iterator[str]:
        settings, turns = split_settings([line])
        try:
            if settings and not turns and len(self.turns) == 1:
                self.restart(settings)
                self.settings.append((line.text, settings))
                yield from self.sheet.labelled_lines("client", "from the welcome on", "gutter")
                return
            session = self.session.fork()
            turn = session.turn(line.actions, line.text)
        except ActionError as error:
            yield from self._error_lines(line.text, [line.mistake_at(error.action, str(error))])
            return
        self.turns.append(TypedTurn(session, turn, line.text))
        yield from self.new_state_report().turn(turn)

    def new_state_report(self) -> SessionReport:
        """The report of what changed in a turn."""
        before = self.turns[-2] if len(self.turns) > 1 else self.turns[-1]
        return SessionReport(self.sheet, reasons=False, language=before.turn.language)

    def _error_lines(self, text: str, mistakes: Sequence[ScriptMistake]) -> Iterator[str]:
        """The line with its mistakes marked below."""
        source = Source("", text)
        places = [Annotation(range_of(mistake), "error", mistake.message) for mistake in mistakes]
        rows = render_frame(source, places, digits=1, width=self.sheet.width, paint=self.sheet.paint)
        yield from (f"{row}\n" for row in list(rows)[1:])


def _with_commands(mistake: ScriptMistake, text: str, commands: Mapping[str, MetaCommand]) -> ScriptMistake:
    """A mistake about an unknown verb, with a suggestion that includes the commands."""
    word = text.split()[0]
    near = suggest(word.lower(), commands, min_similarity=0.6)
    if not mistake.message.startswith(f'there is no verb "{word}"') or near is None:
        return mistake
    return ScriptMistake(mistake.line, mistake.column, mistake.end, f'there is no "{word}"; did you mean "{near}"?')
