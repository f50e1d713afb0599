"""Redis servers for tests and measurements: on free ports of loopback, ended by their process ids."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

SERVER = shutil.which("redis-server")
WHY_NOT = "needs redis-server; run .ci/servers"
SLOTS = 16384


class Server:
    """A node that was started, and can be killed and started again with what it has kept."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port, self.folder, self.options = free_port(), folder, options
        folder.mkdir(parents=True)
        self.process = self._started()

    def call(self, *command: str | int, password: str | None = None) -> object:
        import redis

        client = redis.Redis(port=self.port, password=password, socket_timeout=5, protocol=2)
        try:
            return client.execute_command(*command)
        finally:
            client.close()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def start_again(self) -> None:
        self.process = self._started()

    def is_master(self) -> bool:
        """Whether it is up, and serves slots as a master."""
        import redis

        try:
            return self.call("ROLE")[0] == b"master"  # type: ignore[index]
        except redis.RedisError:
            return False

    def wait_until_up(self) -> None:
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)
        raise TimeoutError(f"no redis-server on port {self.port}")

    def _started(self) -> subprocess.Popen[bytes]:
        assert SERVER
        common = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", ""]
        command = [SERVER, *common, "--loglevel", "warning", *self.options]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def has_redis() -> bool:
    """Whether servers can be started, and the client is there."""
    try:
        import redis  # noqa: F401
    except ImportError:
        return False
    return SERVER is not None


@contextmanager
def one_server(*options: str) -> Iterator[Server]:
    """One node, until the end of the block."""
    with ExitStack() as stack:
        yield _server(stack, _folder(stack) / "node", *options)


@contextmanager
def cluster(masters: int = 3, replicas: int = 0, *options: str) -> Iterator[list[Server]]:
    """A cluster, until the end of the block: its masters, then their replicas in the same order."""
    with ExitStack() as stack:
        folder = _folder(stack)
        shared = ("--cluster-enabled", "yes", "--cluster-node-timeout", "1500", *options)
        servers = [_server(stack, folder / str(at), *shared) for at in range(masters * (1 + replicas))]
        join(servers[:masters], servers[masters:])
        yield servers


def join(masters: Sequence[Server], replicas: Sequence[Server]) -> None:
    """Make a cluster of nodes, and wait until all of them know it."""
    servers = [*masters, *replicas]
    for at, master in enumerate(masters):
        master.call("CLUSTER", "ADDSLOTSRANGE", at * SLOTS // len(masters), (at + 1) * SLOTS // len(masters) - 1)
        master.call("CLUSTER", "SET-CONFIG-EPOCH", at + 1)
    for server in servers[1:]:
        server.call("CLUSTER", "MEET", "127.0.0.1", servers[0].port)
    _wait(lambda: all(_knows_all(server, len(servers)) for server in servers))
    for at, replica in enumerate(replicas):
        id = masters[at % len(masters)].call("CLUSTER", "MYID")
        replica.call("CLUSTER", "REPLICATE", id.decode())  # type: ignore[attr-defined]
    _wait(lambda: all(_is_ready(server) for server in servers))
    if replicas:
        wait_until_whole(servers)


def wait_until_whole(servers: Sequence[Server]) -> None:
    """Wait until every master of a cluster has its replica, which knows all that it knows."""
    _wait(lambda: all(_is_ready(server) for server in servers))
    _wait(lambda: all(_is_linked(server) for server in servers))


def free_port() -> int:
    """A port that is free, and whose counterpart for the bus of a cluster is a port."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port + 10_000 < 2**16:
            return port


def _server(stack: ExitStack, folder: Path, *options: str) -> Server:
    server = Server(folder, *options)
    stack.callback(lambda: server.kill())
    server.wait_until_up()
    return server


def _folder(stack: ExitStack) -> Path:
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trialrun-redis-", ignore_cleanup_errors=True)))


def _knows_all(server: Server, count: int) -> bool:
    answer = server.call("CLUSTER", "NODES")
    lines = [line for line in _text(answer).splitlines() if line]
    return len(lines) == count and not any("handshake" in line for line in lines)


def _is_ready(server: Server) -> bool:
    return _state(server, "CLUSTER", "INFO").get("cluster_state") == "ok"


def _is_linked(server: Server) -> bool:
    state = _state(server, "INFO", "replication")
    return state["master_link_status"] == "up" if state["role"] == "slave" else int(state["connected_slaves"]) > 0


def _state(server: Server, *command: str) -> dict[str, Any]:
    answer = server.call(*command)
    if isinstance(answer, dict):
        return answer
    return dict(line.split(":", 1) for line in _text(answer).splitlines() if ":" in line)


def _text(answer: object) -> str:
    return answer.decode() if isinstance(answer, bytes) else str(answer)


def _wait(condition: Callable[[], bool]) -> None:
    import redis

    for _ in range(1500):
        with suppress(redis.RedisError):
            if condition():
                return
        time.sleep(0.02)
    raise TimeoutError("the nodes have not become a cluster")
