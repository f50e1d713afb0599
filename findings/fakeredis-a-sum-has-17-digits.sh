#!/usr/bin/env bash
# A store in tests and the store in production, fakeredis 2.41.0 (PyPI) against Redis 7.0: HINCRBYFLOAT of 0.1 and 0.2 is
# 0.30000000000000004, and 0.3 from the server, which adds in 80 bits; cjson.encode of 9007199254740993 in a script is
# 9007199254740992, and 9.007199254741e+15 from the server; of an empty table it is a list, and an object from the server;
# TTL of 1500 ms is 1, and 2 from the server.
# Guess before the run: the answers of the server.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'fakeredis==2.41.0' 'lupa==2.8'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import fakeredis

store = fakeredis.FakeRedis(version=(7,))
store.hset("row", "sum", "0.1")
print("HINCRBYFLOAT", store.hincrbyfloat("row", "sum", 0.2), store.hget("row", "sum").decode())
print("cjson.encode", store.eval("return cjson.encode(9007199254740993)", 0).decode(), store.eval("return cjson.encode({})", 0).decode())
store.set("key", "value", px=1500)
print("TTL", store.ttl("key"))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
HINCRBYFLOAT 0.30000000000000004 0.30000000000000004
cjson.encode 9007199254740992 []
TTL 1
SEEN
echo "seen as described"
