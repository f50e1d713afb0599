"""Faults of Redis as messages: what is wrong with which node, and what to do. No message has credentials in it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

from trialrun.runtime.feature_view.entity_id import InvalidEntityId
from trialrun.runtime.feature_view.store.interface import InvalidWrite, NeverSynced, StoreError
from trialrun.runtime.feature_view.store.redis.address import CA, PASSWORD, USER

TRANSIENT = (
    "MOVED",
    "ASK",
    "TRYAGAIN",
    "CLUSTERDOWN",
    "READONLY",
    "LOADING",
    "MASTERDOWN",
    "NOSCRIPT",
    "UNBLOCKED",
    "BUSY",
)
"""The errors of Redis after which the same command may succeed, of the same node or of another one."""
DAMAGE_ERRORS = (struct.error, ValueError, TypeError, ArithmeticError, LookupError, AttributeError)
_REPLIES = {
    "OOM": "the memory of {node} is full; give it more (maxmemory), or remove views",
    "WRONGPASS": f"the user or the password for {{node}} is wrong; set {USER} and {PASSWORD}",
    "NOAUTH": f"{{node}} asks for a password; set {PASSWORD}",
    "NOPERM": "the user may not do this at {node}; allow all commands on keys of the prefix",
    "MISCONF": "{node} cannot save to its disk and takes no writes; free some space there",
    "NOREPLICAS": "{node} has too few replicas that answer, and takes no writes; start them",
    "WRONGTYPE": "{node} has keys of others under our prefix; choose another one, with ?prefix=NAME",
    "CLUSTERDOWN": "the cluster of {node} does not serve all slots; wait until it has failed over, or start its nodes",
    "CROSSSLOT": "{node} is a cluster behind a proxy, which is not supported; name the nodes themselves",
    "LOADING": "{node} is still loading its data; try again when it has",
    "BUSY": "{node} is busy with a script of somebody else; try again later",
    "READONLY": "{node} is a replica, and takes no writes; name its master",
    "MASTERDOWN": "{node} has lost its master; wait until it has failed over",
}


def damaged(address: str, what_to_do: str = "sync again, or choose another prefix") -> StoreError:
    """What is said where a key does not hold what was written."""
    return StoreError(f"{address} has values that trialrun did not write, or lost some; {what_to_do}")


def deletion_advice(key: bytes) -> str:
    """What to do about a manifest that cannot be read, which a sync does not replace either."""
    return f"delete the key {key.decode()}, and sync again"


def is_transient(fault: Exception) -> bool:
    """Whether the same command may succeed if it is sent again."""
    import redis

    if isinstance(fault, redis.AuthenticationError | redis.exceptions.AuthorizationError):
        return False
    if isinstance(fault, redis.exceptions.BusyLoadingError):
        return True
    if isinstance(fault, redis.ConnectionError | redis.TimeoutError | OSError):
        return not _is_untrusted(fault)
    return _code(fault) in TRANSIENT


def to_store_error(fault: Exception, node: str) -> StoreError:
    """A fault of a node as a person is told."""
    import redis

    if isinstance(fault, redis.AuthenticationError) and _code(fault) not in _REPLIES:
        return StoreError(_REPLIES["WRONGPASS"].format(node=node))
    if isinstance(fault, redis.exceptions.BusyLoadingError):
        return StoreError(_REPLIES["LOADING"].format(node=node))
    if isinstance(fault, redis.TimeoutError):
        return StoreError(f"{node} does not answer; check the network, and try again")
    if _is_untrusted(fault):
        return StoreError(f"the certificate of {node} cannot be trusted; set {CA} to the file of its authority")
    if isinstance(fault, redis.ConnectionError | OSError) and _code(fault) not in _REPLIES:
        return StoreError(f"{node} cannot be reached; start it, or check the address")
    if message := _REPLIES.get(_code(fault)):
        return StoreError(message.format(node=node))
    return StoreError(f"{node} refuses a command ({fault}); check that it is Redis 6.2 or newer")


@contextmanager
def map_damage(address: str, *what_to_do: str) -> Iterator[None]:
    """Tell what reading a value that was not written by us ends in; only what reads may be called in it."""
    try:
        yield
    except (InvalidEntityId, InvalidWrite, NeverSynced):
        raise
    except DAMAGE_ERRORS as fault:
        raise damaged(address, *what_to_do) from fault


def _code(fault: Exception) -> str:
    """The word that an error of Redis begins with; the client takes it away where it has a class for it."""
    import redis

    for kind, code in (
        (redis.exceptions.MovedError, "MOVED"),
        (redis.exceptions.AskError, "ASK"),
        (redis.exceptions.TryAgainError, "TRYAGAIN"),
        (redis.exceptions.ClusterDownError, "CLUSTERDOWN"),
        (redis.exceptions.MasterDownError, "MASTERDOWN"),
        (redis.exceptions.ClusterCrossSlotError, "CROSSSLOT"),
        (redis.exceptions.ReadOnlyError, "READONLY"),
        (redis.exceptions.NoScriptError, "NOSCRIPT"),
        (redis.exceptions.OutOfMemoryError, "OOM"),
        (redis.exceptions.NoPermissionError, "NOPERM"),
        (redis.exceptions.AuthenticationError, "WRONGPASS"),
    ):
        if type(fault) is kind:
            is_missing = code == "WRONGPASS" and "required" in str(fault).lower()
            return "NOAUTH" if is_missing else code
    return str(fault).split(" ", 1)[0]


def _is_untrusted(fault: BaseException) -> bool:
    return "CERTIFICATE_VERIFY_FAILED" in str(fault)
