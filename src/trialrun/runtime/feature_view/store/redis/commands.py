"""Commands as they are sent to nodes: bytes that are packed once, many rows in one go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from trialrun.runtime.feature_view.store.redis.raw_answers import RawAnswers
from trialrun.runtime.feature_view.store.redis.scripts import Script

Part = bytes | str | int
REMEMBERED_LENGTHS = 4096


class Command(NamedTuple):
    """A command, the key that says which node it goes to, and its script where it calls one.

    A tuple, since a load makes thousands, and tuples are made fast.
    `packed` are further arguments as `pack_texts` and `pack_pairs` make them, and `packed_count` is how many they are.
    `read` takes the place of what makes a Python object of an answer; then all that are sent together have it.
    """

    key: bytes
    parts: tuple[Part, ...]
    script: Script | None = None
    packed: Sequence[bytes] = ()
    packed_count: int = 0
    read: Callable[[RawAnswers], Any] | None = None

    def to_bytes(self) -> bytes:
        """What a node reads."""
        return pack(self.parts, self.packed, self.packed_count)


def number_command(key: bytes, *parts: Part, packed: Sequence[bytes] = (), packed_count: int = 0) -> Command:
    """A command with a key and a number for an answer, which is read in a fifth of the time of others."""
    return Command(key, (parts[0], key, *parts[1:]), None, packed, packed_count, RawAnswers.next_number)


def script_command(script: Script, keys: Sequence[bytes], *arguments: Part) -> Command:
    """The call of a script, all of whose keys are in one slot."""
    return Command(keys[0], ("EVALSHA", script.digest, len(keys), *keys, *arguments), script)


def pack(parts: Sequence[Part], packed: Sequence[bytes] = (), packed_count: int = 0) -> bytes:
    """A command as Redis reads it."""
    arguments = [b"*%d\r\n" % (len(parts) + packed_count)]
    for part in parts:
        text = part if type(part) is bytes else str(part).encode()
        arguments.append(b"$%d\r\n%b\r\n" % (len(text), text))
    arguments += packed
    return b"".join(arguments)


def pack_texts(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Texts as arguments of a command, without a step of Python for each of them."""
    listed = [*texts]
    return map(b"".join, zip(map(_HEADS.__getitem__, map(len, listed)), listed, repeat(b"\r\n"), strict=False))


def pack_pairs(fields: Sequence[bytes], values: Iterable[bytes]) -> Iterator[bytes]:
    """Fields and their values as arguments of a command, each two in one."""
    listed = [*values]
    head_of, end = _HEADS.__getitem__, repeat(b"\r\n")
    heads = [map(head_of, map(len, texts)) for texts in (fields, listed)]
    return map(b"".join, zip(heads[0], fields, end, heads[1], listed, end, strict=False))


class _Heads(dict[int, bytes]):
    """What an argument of a length begins with."""

    def __missing__(self, length: int) -> bytes:
        head = b"$%d\r\n" % length
        if length < REMEMBERED_LENGTHS:
            self[length] = head
        return head


_HEADS = _Heads()
