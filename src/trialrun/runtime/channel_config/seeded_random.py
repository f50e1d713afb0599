"""Deterministic random numbers: a hash of the seed and the purpose of the draw, equal on every machine."""

from __future__ import annotations

from hashlib import blake2b

RANGE_SIZE = 2**64


def draw(seed: int, purpose: str) -> int:
    """A number from 0 up to, and without, 2**64 for a purpose, evenly spread over the seeds."""
    text = f"{seed}\0{purpose}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def fraction(seed: int, purpose: str) -> float:
    """A fraction from 0 up to, and without, 1."""
    return (draw(seed, purpose) >> 11) / 2**53


def choose_index(seed: int, purpose: str, count: int) -> int:
    """One of `count` indexes, each as likely as the others."""
    return draw(seed, purpose) * count // RANGE_SIZE
