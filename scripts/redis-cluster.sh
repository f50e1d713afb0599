#!/usr/bin/env bash
# redis-cluster.sh start|stop DIR: three masters of a Redis Cluster on this machine, for tests and benchmarks.
# They listen on loopback only; their process ids are in DIR/redis-pids. `start` writes DIR/store (the address for
# --store), and waits until all slots are served. It needs redis-server and redis-cli.
set -eu

usage() { echo "usage: redis-cluster.sh start|stop DIR" >&2; exit 2; }
[ $# -eq 2 ] || usage
mkdir -p "$2"
dir=$(cd "$2" && pwd)

stop() {
  [ -e "$dir/redis-pids" ] || return 0
  while read -r pid; do kill "$pid" 2>/dev/null || true; done <"$dir/redis-pids"
  while read -r pid; do
    for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || continue 2; sleep 0.1; done
    kill -9 "$pid" 2>/dev/null || true  # a node that cannot save its data refuses to end
  done <"$dir/redis-pids"
  rm -f "$dir/redis-pids" "$dir/store"
}

# A port that nobody listens on, and whose port for the bus of the cluster is one.
free_port() {
  port=$((20000 + RANDOM % 20000))
  while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
  echo "$port"
}

start() {
  trap 'stop; exit 130' INT TERM
  nodes=""
  for number in 1 2 3; do
    port=$(free_port)
    mkdir -p "$dir/redis-$number"
    rm -f "$dir/redis-$number/nodes.conf"
    redis-server --port "$port" --bind 127.0.0.1 --dir "$dir/redis-$number" --cluster-enabled yes \
      --cluster-node-timeout 2000 >"$dir/redis-$number/log" 2>&1 &
    echo $! >>"$dir/redis-pids"
    nodes="$nodes 127.0.0.1:$port"
    for _ in $(seq 100); do redis-cli -p "$port" ping >/dev/null 2>&1 && break; sleep 0.1; done
  done
  # shellcheck disable=SC2086
  redis-cli --cluster create $nodes --cluster-yes >"$dir/redis-create.log" 2>&1 || { cat "$dir/redis-create.log" >&2; stop; exit 1; }
  for _ in $(seq 100); do
    redis-cli -p "$port" cluster info | grep -q cluster_state:ok && break
    sleep 0.1
  done
  echo "redis://$(echo $nodes | tr ' ' ',')" >"$dir/store"
  echo "store: $(cat "$dir/store")"
}

case $1 in
  start) stop; start ;;
  stop) stop ;;
  *) usage ;;
esac
