"""Where the nodes of a store in Redis are, and commands to them: each to the node of its key, again after a failover.

An address is written by people. What is secret comes from the environment, and is shown nowhere.

Every command that is sent may be sent twice, so that a lost answer is no fault. Pipelines are those of one node, not
those of the cluster client: these send what failed one by one, each with a timeout of its own, and cannot wait for a
replica over the connection that wrote.

Faults become messages that say what is wrong with which node, and what to do; none has credentials in it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.retry import Retry

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.store.value_codec import map_damage

PASSWORD, USER = "TRIALRUN_STORE_PASSWORD", "TRIALRUN_STORE_USER"
CA, CERTIFICATE, KEY = "TRIALRUN_STORE_CA", "TRIALRUN_STORE_CERT", "TRIALRUN_STORE_KEY"
DEFAULT_PORT, DEFAULT_PREFIX = 6379, "trialrun"
_PREFIX = re.compile(r"[A-Za-z0-9_.:-]{1,64}", re.ASCII)
_NODE = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s\[\]:]+))(?::([0-9]{1,5}))?", re.ASCII)
_FORM = "write redis://HOST:PORT, rediss://HOST:PORT for TLS, several HOST:PORT of a cluster with commas"
CONNECT_TIMEOUT, ANSWER_TIMEOUT = 2.0, 5.0
PATIENCE = 15.0
"""For how many seconds a command is sent again while a cluster fails over, or a node starts."""
COMMANDS_PER_TRIP = 512
"""Commands that are sent at once."""
REPLICA_TIMEOUT = 2000
"""Milliseconds that a write waits for a replica, before it is sent again."""
TRANSIENT = re.compile("MOVED|ASK|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY|LOADING|BUSY|UNBLOCKED|UNREPLICATED")
"""The errors of Redis after which the same command may succeed, of the same node or of another one."""
MESSAGES = {
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
    "UNREPLICATED": "no replica of {node} has taken a write; start its replicas, or try again later",
    "MOVED": "the nodes of the cluster of {node} do not agree on who serves what; try again later",
}
CODES: dict[type[Exception], str] = {
    redis.exceptions.MovedError: "MOVED",
    redis.exceptions.AskError: "ASK",
    redis.exceptions.TryAgainError: "TRYAGAIN",
    redis.exceptions.MasterDownError: "MASTERDOWN",
    redis.exceptions.ClusterDownError: "CLUSTERDOWN",
    redis.exceptions.RedisClusterException: "CLUSTERDOWN",
    redis.exceptions.ClusterCrossSlotError: "CROSSSLOT",
    redis.exceptions.BusyLoadingError: "LOADING",
    redis.exceptions.ReadOnlyError: "READONLY",
    redis.exceptions.OutOfMemoryError: "OOM",
    redis.exceptions.NoPermissionError: "NOPERM",
}
"""The codes of the errors that redis-py has a class for; of two that fit, the first one."""
FAULTS = (redis.RedisError, redis.exceptions.RedisClusterException, OSError, ValueError)
"""What a command ends in; a ValueError where a number is expected, and something else is answered."""
Part = bytes | str | int
Command = tuple[Part, ...]
"""A command and its arguments; the key comes first, or first among the keys of a script."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class RedisAddress:
    """The nodes to ask first, and how to connect. Pickled, it has its password; its text has not."""

    nodes: tuple[tuple[str, int], ...]
    database: int = 0
    prefix: str = DEFAULT_PREFIX
    is_encrypted: bool = False
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None

    def __str__(self) -> str:
        scheme = "rediss" if self.is_encrypted else "redis"
        nodes = ",".join(node_text(*node) for node in self.nodes)
        database = f"/{self.database}" if self.database else ""
        prefix = f"?prefix={self.prefix}" if self.prefix != DEFAULT_PREFIX else ""
        return f"{scheme}://{nodes}{database}{prefix}"


def parse_address(text: str, environment: Mapping[str, str] = os.environ) -> RedisAddress:
    """The address of a text, with the secrets of the environment.

    Raises StoreError, whose message says what is wrong, then what to do, and has no password in it.
    """
    shown = hide_credentials(text)
    try:
        parts = urlsplit(text)
    except ValueError:  # brackets of an IPv6 address that do not match
        raise StoreError(f"{shown} is not the address of a store; {_FORM}") from None
    if parts.scheme not in ("redis", "rediss"):
        raise StoreError(f"{shown} is not the address of a store; {_FORM}")
    user, _, hosts = parts.netloc.rpartition("@")
    if ":" in user:
        raise StoreError(f"the address {shown} has a password; set {PASSWORD} instead")
    if parts.fragment:
        raise StoreError(f"the address {shown} has a part after #; {_FORM}")
    nodes = []
    for host in hosts.split(","):
        matched = _NODE.fullmatch(host)
        port = int(matched[3] or DEFAULT_PORT) if matched else 0
        if not matched or not 0 < port < 2**16:
            raise StoreError(f"the address {shown} has no host and port that can be connected to; {_FORM}")
        nodes.append((matched[1] or matched[2], port))
    number = parts.path.strip("/")
    if number and not (number.isascii() and number.isdecimal() and len(number) < 5):
        raise StoreError(f'the address {shown} has the path "{number}"; only a number of a database can stand there')
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    prefix = options.pop("prefix", DEFAULT_PREFIX)
    if options:
        raise StoreError(f'the address {shown} has the option "{min(options)}"; the only one is prefix')
    if not _PREFIX.fullmatch(prefix):
        raise StoreError(f"the address {shown} has a prefix that keys cannot have; use letters, digits, . _ - and :")
    secrets = [environment.get(name) or None for name in (USER, PASSWORD, CA, CERTIFICATE, KEY)]
    is_encrypted = parts.scheme == "rediss"
    return RedisAddress(tuple(nodes), int(number or 0), prefix, is_encrypted, unquote(user) or secrets[0], *secrets[1:])


def hide_credentials(text: str) -> str:
    """An address without what may be a user name and a password in it."""
    scheme, separator, rest = text.partition("://")
    if not separator:
        return text.rpartition("@")[2]
    authority, slash, path = rest.partition("/")
    if "@" in path:  # a password with a slash in it
        authority, slash, path = rest, "", ""
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


def node_text(host: str, port: int) -> str:
    """A node as people write it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def script_command(script: str, keys: Sequence[bytes], *arguments: Part) -> Command:
    """The call of a script, all of whose keys are in one slot.

    It is sent whole each time: none is longer than a few rows, and a node that was started anew need not learn it.
    """
    return ("EVAL", script, len(keys), *keys, *arguments)


class _NodeFault(Exception):
    """A fault of a node, after which the commands that have no answer may be sent again."""

    def __init__(self, fault: Exception, node: str) -> None:
        super().__init__(str(fault))
        self.fault, self.node = fault, node


class _Node(NamedTuple):
    name: str
    client: Any
    has_replica: bool


class _Connected(NamedTuple):
    """The client of a cluster, or a lone node."""

    cluster: Any
    lone: _Node | None

    def nodes(self, key: Part | None) -> list[_Node]:
        """The node of a key, without one all nodes that serve slots. Raises what redis-py does."""
        if self.lone:
            return [self.lone]
        found = self.cluster.get_primaries() if key is None else [self.cluster.get_node_from_key(key)]
        has_replica = key is not None and self.cluster.get_node_from_key(key, replica=True) is not None
        return [
            _Node(node_text(node.host, node.port), self.cluster.get_redis_connection(node), has_replica)
            for node in found
        ]


class Nodes:
    """The nodes of a store, which any number of threads may use. Raises StoreError where they cannot be used."""

    def __init__(self, address: RedisAddress, *, patience: float = PATIENCE) -> None:
        self.address = address
        self._patience = patience
        self._connected: _Connected | None = None
        self._known: list[tuple[str, int]] = []

    def run(self, commands: Sequence[Command], *, durable: bool = False) -> list[Any]:
        """The answers of some commands; `durable` ones are known to a replica, too, where there is one."""
        if len(commands) > COMMANDS_PER_TRIP:
            starts = range(0, len(commands), COMMANDS_PER_TRIP)
            parts = [commands[start : start + COMMANDS_PER_TRIP] for start in starts]
            return [answer for part in parts for answer in self.run(part, durable=durable)]
        answers: dict[int, Any] = {}

        def send_rest(connected: _Connected) -> None:
            by_node: dict[str, tuple[_Node, list[int]]] = {}
            for at, command in enumerate(commands):
                if at not in answers:
                    (node,) = connected.nodes(command[3 if command[0] == "EVAL" else 1])
                    by_node.setdefault(node.name, (node, []))[1].append(at)

            def send_to(node: _Node, places: Sequence[int]) -> None:
                given = _execute(node, [commands[at] for at in places], waits=durable and node.has_replica)
                answers.update(zip(places, given, strict=True))

            if len(by_node) == 1:
                send_to(*by_node.popitem()[1])
            elif by_node:
                with ThreadPoolExecutor(len(by_node)) as pool:  # all nodes work at once
                    for sent in [pool.submit(send_to, *each) for each in by_node.values()]:
                        sent.result()

        self._repeat(send_rest)
        return [answers[at] for at in range(len(commands))]

    def call(self, *command: Part) -> Any:
        """The answer of one command."""
        return self.run([command])[0]

    def on_each_node(self, *command: Part) -> list[tuple[str, Any]]:
        """The answer of a command of every node that serves slots, with the name of the node."""
        return self._repeat(
            lambda connected: [(node.name, _execute(node, [command])[0]) for node in connected.nodes(None)]
        )

    def close(self) -> None:
        """Close all connections."""
        connected, self._connected = self._connected, None
        if connected:
            (connected.lone.client if connected.lone else connected.cluster).close()

    def map_damage(self, *what_to_do: str) -> AbstractContextManager[None]:
        """Tell what reading a value ends in that was not written by us; only what reads may be called in it."""
        return map_damage(lambda: self.damaged(*what_to_do))

    def damaged(self, what_to_do: str = "sync again, or choose another prefix") -> StoreError:
        """What is said where a key does not hold what was written."""
        return StoreError(f"{self.address} has values that trialrun did not write, or lost some; {what_to_do}")

    def _repeat(self, step: Callable[[_Connected], Result]) -> Result:
        """Take a step until it is done, as long as what keeps it from that may pass. Raises StoreError."""
        end, pause = time.monotonic() + self._patience, 0.02
        while True:
            connected = self._connected
            try:
                connected = self._connected = connected or self._connect()
                return step(connected)
            except _NodeFault as fault:
                failed = fault
            except FAULTS as fault:  # a key is in a slot that no node serves
                failed = _NodeFault(fault, str(self.address))
            may_pass = _is_transient(failed.fault) and bool(self._known)  # nobody waits for a wrong address
            if not may_pass or time.monotonic() > end:
                raise _to_store_error(failed.fault, failed.node) from failed.fault
            if self._connected is connected:
                self._connected = None  # other threads may still use it, so it is not closed
            time.sleep(pause)
            pause = min(pause * 2, 0.5)

    def _connect(self) -> _Connected:
        """Connect to the first node that answers, and to the cluster that it is of. Raises _NodeFault."""
        failed: _NodeFault | None = None
        for host, port in dict.fromkeys([*self.address.nodes, *self._known]):
            try:
                return self._connect_to(host, port)
            except FAULTS as fault:
                failed = _NodeFault(fault, node_text(host, port))
                if not _is_transient(fault):
                    break
        assert failed
        raise failed

    def _connect_to(self, host: str, port: int) -> _Connected:
        address = self.address
        options: dict[str, Any] = {
            "username": address.user,
            "password": address.password,
            "socket_timeout": ANSWER_TIMEOUT,
            "socket_connect_timeout": CONNECT_TIMEOUT,
            "retry": Retry(NoBackoff(), 0),
            "protocol": 2,
            "client_name": "trialrun",
            "ssl": address.is_encrypted,
            "ssl_cert_reqs": "required",
            "ssl_check_hostname": True,
            "ssl_ca_certs": address.ca,
            "ssl_certfile": address.certificate,
            "ssl_keyfile": address.key,
        }
        client = redis.Redis(host, port, db=address.database, **options)
        is_cluster = client.info("cluster").get("cluster_enabled")
        replication = client.info("replication")
        if is_cluster:
            client.close()
            connected = _Connected(RedisCluster(startup_nodes=[ClusterNode(host, port)], **options), None)  # type: ignore[no-untyped-call]
            self._known = [(node.host, node.port) for node in connected.cluster.get_nodes()]
            return connected
        if replication.get("role") == "slave":
            raise redis.ReadOnlyError("a replica")
        self._known = [(host, port)]
        return _Connected(None, _Node(node_text(host, port), client, int(replication.get("connected_slaves", 0)) > 0))


def _execute(node: _Node, commands: Sequence[Command], *, waits: bool = False) -> list[Any]:
    """The answers of a node, which a replica has waited for over the same connection. Raises _NodeFault."""
    try:
        if len(commands) == 1 and not waits:
            return [node.client.execute_command(*commands[0])]
        pipeline = node.client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        if waits:
            pipeline.execute_command("WAIT", 1, REPLICA_TIMEOUT)
        answers: list[Any] = pipeline.execute(raise_on_error=False)
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        if waits and not answers.pop():
            raise redis.ResponseError("UNREPLICATED")
    except FAULTS as fault:
        raise _NodeFault(fault, node.name) from fault
    return answers


def _is_transient(fault: BaseException) -> bool:
    """Whether the same command may succeed if it is sent again."""
    if isinstance(fault, redis.exceptions.RedisClusterException):
        return fault.__cause__ is None or _is_transient(fault.__cause__)
    if isinstance(fault, redis.AuthenticationError | redis.exceptions.AuthorizationError):
        return False
    if isinstance(fault, redis.ConnectionError | redis.TimeoutError | OSError):  # a node that loads is one, too
        return "CERTIFICATE_VERIFY_FAILED" not in str(fault)
    return bool(TRANSIENT.fullmatch(_code(fault)))


def _to_store_error(fault: BaseException, node: str) -> StoreError:
    if isinstance(fault, redis.exceptions.RedisClusterException) and fault.__cause__:
        return _to_store_error(fault.__cause__, node)
    if isinstance(fault, redis.TimeoutError):
        message = "{node} does not answer; check the network, and try again"
    elif "CERTIFICATE_VERIFY_FAILED" in str(fault):
        message = f"the certificate of {{node}} cannot be trusted; set {CA} to the file of its authority"
    elif not (message := MESSAGES.get(_code(fault), "")):
        if isinstance(fault, redis.ConnectionError | OSError):
            message = "{node} cannot be reached; start it, or check the address"
        else:
            return StoreError(f"{node} refuses a command ({fault}); check that it is Redis 6.2 or newer")
    return StoreError(message.format(node=node))


def _code(fault: BaseException) -> str:
    """The word that an error of Redis begins with; the client takes it away where it has a class for it."""
    if isinstance(fault, redis.AuthenticationError):
        return (
            "NOAUTH" if type(fault) is redis.AuthenticationError and "required" in str(fault).lower() else "WRONGPASS"
        )
    return next((code for kind, code in CODES.items() if isinstance(fault, kind)), str(fault).split(" ", 1)[0])
