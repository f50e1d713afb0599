"""What is written down about requests, however they come."""

from __future__ import annotations

from trialrun.lazy_dataclass import dataclass
from trialrun.server.metrics import Metrics
from trialrun.server.request_log import RequestLog


@dataclass(frozen=True)
class Monitoring:
    """The numbers of a server, and the log of its requests."""

    metrics: Metrics
    log: RequestLog
