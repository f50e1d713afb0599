"""The log of requests and the numbers; a server whose output nobody reads answers all the same, and ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cases import each_of, first_of, tries_all_cases
from tests.program import own_environment
from tests.server.server_process import connect_client, start_server, wait_until_ready, write_workspace
from tests.service.service_fixture import RIDERS
from trialrun.server.monitoring import MAX_LINES, LineWriter, Monitoring, RequestLog, RequestRecord, escaped

SECRET = "ya29.secret-credentials"
REFUSED = RequestRecord("POST", f"/v1/{RIDERS}:sync", "SyncFeatureView", 400, "cron-syntax", "bad\nhour", 0.0015)
REQUESTS = 20_000 if tries_all_cases() else 200
LONG_PATH = "/v1/" + "a" * 900
"""A path of which a few lines fill a pipe."""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return write_workspace(tmp_path / "workspace")


def test_a_line_has_method_path_status_and_time(capsys: pytest.CaptureFixture[str]) -> None:
    RequestLog().write(REFUSED)
    time, _, line = capsys.readouterr().err.partition(" ")
    assert time.endswith("Z")
    assert line == f"POST /v1/{RIDERS}:sync 400 1.5 ms\n"


def test_a_verbose_line_has_the_operation_and_the_finding(capsys: pytest.CaptureFixture[str]) -> None:
    RequestLog(is_verbose=True).write(REFUSED)
    assert capsys.readouterr().err.endswith(" 400 1.5 ms SyncFeatureView cron-syntax: bad\\nhour\n")


def test_a_line_for_programs_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    RequestLog("json", is_verbose=True).write(REFUSED)
    line = json.loads(capsys.readouterr().err)
    assert line.pop("time").endswith("Z")
    assert line == {
        "method": "POST",
        "path": f"/v1/{RIDERS}:sync",
        "status": 400,
        "ms": 1.5,
        "operation": "SyncFeatureView",
        "reason": "cron-syntax",
        "message": "bad\nhour",
    }


@each_of(
    [
        ("/a\r\n2026 GET /forged 200", "/a\\r\\n2026 GET /forged 200"),
        ("/\x1b[2J", "/\\x1b[2J"),
        ("/\u202egnp", "/\\u202egnp"),
        ("/\ud800", "/\\ud800"),
        ("/\x9b31m", "/\\x9b31m"),
        ("/süß", "/süß"),
        ("/" + "a" * 2000, "/" + "a" * 999 + "…"),
    ]
)
def test_no_path_writes_a_line_of_its_own(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_numbers_have_the_labels_of_the_tables_alone() -> None:
    monitoring = Monitoring(RequestLog())
    with monitoring.watch("http", record := RequestRecord("GET", "/nowhere")):
        record.status = 404
    monitoring.count_sync("OK")
    text = monitoring.metrics().decode()
    assert 'trialrun_requests_total{operation="other",protocol="http",status="404"} 1.0' in text
    assert 'trialrun_request_duration_seconds_bucket{le="0.5",operation="other",protocol="http"} 1.0' in text
    assert 'trialrun_requests_in_flight{protocol="http"} 0.0' in text
    assert 'trialrun_syncs_total{status="OK"} 1.0' in text


def test_a_server_logs_and_counts_requests_without_credentials(workspace: Path) -> None:
    with start_server(workspace, "--verbose") as server:
        headers = {"Authorization": f"Bearer {SECRET}", "Cookie": SECRET, "X-Goog-Api-Key": SECRET}
        server.send("POST", f"/v1/{RIDERS}:sync?access_token={SECRET}&key={SECRET}", headers=headers, json={})
        server.send("GET", f"/v1/{RIDERS}/x%0Ay", headers=headers)
        server.send("POST", f"/v1/{RIDERS}:sync", headers={"Origin": "http://evil.example"})
        numbers = server.send("GET", "/metrics").text
        server.stop()
        log = server.log
    assert SECRET not in log + numbers
    assert f"POST /v1/{RIDERS}:sync 200 " in log
    assert " ms SyncFeatureView\n" in log
    assert f"GET /v1/{RIDERS}/x\\ny 404 " in log
    assert " 403 " in log
    assert " foreign-origin: " in log
    assert 'trialrun_requests_total{operation="SyncFeatureView",protocol="http",status="200"} 1.0' in numbers
    assert 'trialrun_requests_in_flight{protocol="http"} 1.0' in numbers
    assert 'trialrun_syncs_total{status="OK"} 1.0' in numbers


@contextmanager
def server_into(pipe: int, folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server that writes all of its output into a pipe, and its address."""
    workspace, ready = write_workspace(folder / "workspace"), folder / "ready.json"
    command = [sys.executable, "-m", "trialrun", "serve", "--ready-file", str(ready)]
    process = subprocess.Popen(
        command, cwd=workspace, env=own_environment(workspace), stdout=pipe, stderr=pipe, text=True
    )
    try:
        yield process, wait_until_ready(process, ready, Path(os.devnull))["http"]
    finally:
        process.kill()
        process.wait(30)


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("number", "code"), first_of([(signal.SIGTERM, 0), (signal.SIGINT, 130)]))
def test_a_server_that_nobody_reads_answers_and_ends(tmp_path: Path, number: signal.Signals, code: int) -> None:
    unread, pipe = os.pipe()
    with server_into(pipe, tmp_path) as (process, address), connect_client(address) as client:
        for _ in range(REQUESTS):
            assert client.get(LONG_PATH).status_code == 404
        process.send_signal(number)
        assert process.wait(10) == code
    os.close(pipe)
    os.close(unread)


@pytest.mark.exhaustive
def test_a_server_starts_where_its_output_is_full(tmp_path: Path) -> None:
    unread, pipe = os.pipe()
    os.set_blocking(pipe, False)
    while True:
        try:
            os.write(pipe, b"x" * 4096)
        except BlockingIOError:
            break
    os.set_blocking(pipe, True)
    with server_into(pipe, tmp_path) as (process, address), connect_client(address) as client:
        assert client.get("/healthz").text == "ok\n"
        process.terminate()
        assert process.wait(10) == 0
    os.close(pipe)
    os.close(unread)


def written(lines: list[str]) -> list[str]:
    """What a writer has written of some lines, which are read once all of them were given to it."""
    read, pipe = os.pipe()
    writer = LineWriter(pipe, "{} lost".format)
    for line in lines:
        writer.write(line)
    with os.fdopen(read) as output, ThreadPoolExecutor() as pool:
        found = pool.submit(output.readlines)
        writer.close(30)
        os.close(pipe)
        return found.result()


def test_lines_that_are_lost_are_counted() -> None:
    lines = written(["a" * 100] * 3 * MAX_LINES)
    losses = [int(line.split()[0]) for line in lines if "lost" in line]
    assert losses
    assert len(lines) - len(losses) + sum(losses) == 3 * MAX_LINES


def test_what_waits_is_written_at_the_end() -> None:
    assert written(["first", "::error::second"]) == ["first\n", "\\x3a:error::second\n"]
