#!/usr/bin/env bash
# redis 8.1.0 raises RedisClusterException where no node of a cluster can be reached, and it is not a RedisError:
# `except RedisError` misses it, though it catches the ConnectionError of a single server. What was wrong is told by
# neither class nor text; it is only the cause.
# Guess before the run: both are RedisErrors, as ClusterDownError is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'redis==8.1.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import socket

import redis

with socket.socket() as unused:
    unused.bind(("127.0.0.1", 0))
    port = unused.getsockname()[1]
for name, connect in (
    ("server", lambda: redis.Redis(port=port).ping()),
    ("cluster", lambda: redis.RedisCluster(host="127.0.0.1", port=port)),
):
    try:
        connect()
    except Exception as fault:
        print(name, type(fault).__name__, isinstance(fault, redis.RedisError), type(fault.__cause__).__name__)
print("ClusterDownError", issubclass(redis.exceptions.ClusterDownError, redis.RedisError))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
server ConnectionError True NoneType
cluster RedisClusterException False ConnectionError
ClusterDownError True
SEEN
echo "seen as described"
