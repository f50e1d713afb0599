"""Options of commands as data, which click reads, and plain command lines without click."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import click

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """An option of a command; as a decorator it gives click's option to a command.

    `minimum` makes it a whole number. `callback` is called by click, which then keeps the value from the command.
    """

    name: str
    help: str | None = None
    metavar: str | None = None
    is_flag: bool = False
    multiple: bool = False
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    default: str | int | None = None
    show_default: bool = False
    callback: Callable[[click.Context, click.Parameter, tuple[str, ...]], None] | None = None

    @property
    def parameter(self) -> str:
        """The name of the value among the arguments of the command."""
        return self.name.removeprefix("--").replace("-", "_")

    @property
    def unset(self) -> str | int | bool | tuple[str, ...] | None:
        """The value where a command line does not have the option."""
        return () if self.multiple else False if self.is_flag else self.default

    def __call__(self, command: Command) -> Command:
        """Give the option to a command of click."""
        import click

        further: dict[str, Any] = {"multiple": True} if self.multiple else {}
        if self.is_flag:
            further["is_flag"] = True  # False would let the option stand without its value
        if self.choices or self.minimum is not None:
            further["type"] = click.Choice(self.choices) if self.choices else click.IntRange(min=self.minimum)
        if self.default is not None:
            further |= {"default": self.default, "show_default": self.show_default}
        if self.callback is not None:
            further |= {"callback": self.callback, "expose_value": False}
        return click.option(self.name, metavar=self.metavar, help=self.help, **further)(command)


def give_options(*options: Option) -> Callable[[Command], Command]:
    """Give a command of click some options, in this order."""

    def give(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return give
