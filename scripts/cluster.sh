#!/usr/bin/env bash
# cluster.sh start|stop DIR: a Spark master with two workers and a Redis Cluster of three on this machine, for tests and
# benchmarks.
# They listen on loopback only and trust nobody without the secret in DIR/secret; their process ids are in DIR/pids.
# `start` writes DIR/engine (the address for --engine) and DIR/store (that for --store), and waits until both answer.
# It needs Java 17 and pyspark, and starts no Redis without redis-server; PYTHON names the interpreter of the workers.
set -eu

usage() { echo "usage: cluster.sh start|stop DIR" >&2; exit 2; }
[ $# -eq 2 ] || usage
mkdir -p "$2"
dir=$(cd "$2" && pwd)
python=${PYTHON:-python3}
cores=${WORKER_CORES:-1}
memory=${WORKER_MEMORY:-2g}

# Run a daemon of Spark with nothing of our environment but what it needs.
spark_daemon() {
  name=$1; shift
  env -i PATH="$PATH" HOME="$dir" JAVA_HOME="${JAVA_HOME:-}" LANG=C.UTF-8 SPARK_HOME="$spark_home" SPARK_LOCAL_IP=127.0.0.1 \
    SPARK_DAEMON_MEMORY=256m SPARK_LOCAL_DIRS="$dir/local" SPARK_WORKER_DIR="$dir/work" PYSPARK_PYTHON="$python" \
    "$spark_home/bin/spark-class" "$@" --properties-file "$dir/spark.conf" >"$dir/$name.log" 2>&1 &
  echo $! >>"$dir/pids"
}

# Wait until a log has a line, for at most a minute.
wait_for() {
  for _ in $(seq 600); do
    grep -q "$2" "$dir/$1.log" && return
    sleep 0.1
  done
  echo "cluster.sh: $1 does not start; see $dir/$1.log" >&2
  stop
  exit 1
}

start_spark() {
  trap 'stop; exit 130' INT TERM
  spark_home=$("$python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
  secret=$("$python" -c 'import secrets; print(secrets.token_hex(16))')
  (umask 077 && echo "$secret" >"$dir/secret" && printf '%s\n' "spark.authenticate true" \
    "spark.authenticate.secret $secret" "spark.network.crypto.enabled true" "spark.master.rest.enabled false" >"$dir/spark.conf")
  spark_daemon master org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 0 --webui-port 0
  wait_for master "elected leader"
  address=$(sed -n 's/.*Starting Spark master at \(spark:[^ ]*\).*/\1/p' "$dir/master.log")
  for number in 1 2; do
    spark_daemon "worker$number" org.apache.spark.deploy.worker.Worker --host 127.0.0.1 --port 0 --webui-port 0 \
      --cores "$cores" --memory "$memory" "$address"
  done
  for number in 1 2; do wait_for "worker$number" "Successfully registered"; done
  echo "$address" >"$dir/engine"
}

# Start three masters of Redis, each on a port that nobody listens on and whose port for the bus is one.
start_redis() {
  nodes=""
  for number in 1 2 3; do
    port=$((20000 + RANDOM % 20000))
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
    mkdir -p "$dir/redis-$number"
    rm -f "$dir/redis-$number/nodes.conf"
    redis-server --port "$port" --bind 127.0.0.1 --dir "$dir/redis-$number" --cluster-enabled yes \
      --cluster-node-timeout 2000 >"$dir/redis-$number/log" 2>&1 &
    echo $! >>"$dir/pids"
    nodes="$nodes 127.0.0.1:$port"
    for _ in $(seq 100); do redis-cli -p "$port" ping >/dev/null 2>&1 && break; sleep 0.1; done
  done
  # shellcheck disable=SC2086
  redis-cli --cluster create $nodes --cluster-yes >"$dir/redis-create.log" 2>&1 || { cat "$dir/redis-create.log" >&2; stop; exit 1; }
  for _ in $(seq 100); do redis-cli -p "$port" cluster info | grep -q cluster_state:ok && break; sleep 0.1; done
  echo "redis://$(echo $nodes | tr ' ' ',')" >"$dir/store"
  echo "store: $(cat "$dir/store")"
}

stop() {
  [ -e "$dir/pids" ] || return 0
  while read -r pid; do kill "$pid" 2>/dev/null || true; done <"$dir/pids"
  while read -r pid; do
    for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || continue 2; sleep 0.1; done
    kill -9 "$pid" 2>/dev/null || true  # only what still runs: the number of one that has ended may be another's by now
  done <"$dir/pids"
  rm -f "$dir/pids" "$dir/store"
}

case $1 in
  start)
    stop
    start_spark
    if command -v redis-server >/dev/null; then start_redis; fi
    echo "engine: $(cat "$dir/engine") (secret in $dir/secret)" ;;
  stop) stop ;;
  *) usage ;;
esac
