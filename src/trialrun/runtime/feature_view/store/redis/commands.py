"""Commands as they are sent to nodes: bytes that are packed once, many rows in one go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store.redis.scripts import Script

Part = bytes | str | int
REMEMBERED_LENGTHS = 4096


@dataclass(frozen=True)
class Command:
    """A command, the key that says which node it goes to, and its script where it calls one.

    `pairs` are further arguments as `pack_pairs` makes them.
    """

    key: bytes
    parts: tuple[Part, ...]
    script: Script | None = None
    pairs: Sequence[bytes] = ()

    def packed(self) -> bytes:
        """The bytes that a node reads."""
        return pack(self.parts, self.pairs)


def script_command(script: Script, keys: Sequence[bytes], *arguments: Part, pairs: Sequence[bytes] = ()) -> Command:
    """The call of a script, all of whose keys are in one slot."""
    return Command(keys[0], ("EVALSHA", script.digest, len(keys), *keys, *arguments), script, pairs)


def pack(parts: Sequence[Part], pairs: Sequence[bytes] = ()) -> bytes:
    """A command as Redis reads it."""
    encoded = [part if type(part) is bytes else str(part).encode() for part in parts]
    texts = [b"$%d\r\n%b\r\n" % (len(part), part) for part in encoded]
    return b"".join([b"*%d\r\n" % (len(encoded) + 2 * len(pairs)), *texts, *pairs])


def pack_pairs(fields: Sequence[bytes], values: Iterable[bytes]) -> Iterator[bytes]:
    """Fields and their values as arguments of a command, without a step of Python for each of them."""
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
