"""The digest blake2b from the module that implements it: importing `hashlib` loads OpenSSL, which takes 5 ms."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # a Python that was built without it has OpenSSL's
    from trialrun.blake2 import blake2b

__all__ = ["blake2b"]
