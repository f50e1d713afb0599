"""Counters and times of a server, in the format of Prometheus."""

from __future__ import annotations

from typing import Any

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Bounds of the durations, in seconds."""
OTHER = "other"
"""The operation of requests that are none of the tables."""


class Metrics:
    """The numbers of one server; labels have only values of the tables, so that no client can make more of them."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self._registry = CollectorRegistry()
        self._requests: Any = Counter(
            "trialrun_requests", "Requests answered.", ("protocol", "operation", "status"), registry=self._registry
        )
        self._durations: Any = Histogram(
            "trialrun_request_duration_seconds",
            "Time from request to answer.",
            ("protocol", "operation"),
            registry=self._registry,
            buckets=BUCKETS,
        )
        self._in_flight: Any = Gauge(
            "trialrun_requests_in_flight", "Requests being answered.", ("protocol",), registry=self._registry
        )
        self._streams: Any = Gauge(
            "trialrun_streams_open", "Streams that are open.", ("operation",), registry=self._registry
        )
        self._syncs: Any = Counter("trialrun_syncs", "Syncs of views made.", ("status",), registry=self._registry)

    def begin_request(self, protocol: str) -> None:
        """A request came."""
        self._in_flight.labels(protocol).inc()

    def end_request(self, protocol: str, operation: str, status: str, seconds: float) -> None:
        """A request was answered, with a status of its protocol."""
        self._in_flight.labels(protocol).dec()
        self._requests.labels(protocol, operation or OTHER, status).inc()
        self._durations.labels(protocol, operation or OTHER).observe(seconds)

    def open_stream(self, operation: str) -> None:
        """A stream of an operation was opened."""
        self._streams.labels(operation).inc()

    def close_stream(self, operation: str) -> None:
        """A stream of an operation was closed."""
        self._streams.labels(operation).dec()

    def count_sync(self, status: str) -> None:
        """A sync was made, with the name of its status: OK, or why it failed."""
        self._syncs.labels(status).inc()

    def text(self) -> bytes:
        """All numbers, as Prometheus reads them."""
        from prometheus_client import generate_latest

        return generate_latest(self._registry)
