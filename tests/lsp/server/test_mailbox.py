"""Messages of analysis processes: kept until the client is connected, and delivered in order."""

from __future__ import annotations

from trialrun.lsp.ipc.messages import ForClient, Progress, ShowMessage
from trialrun.lsp.server.workspace_folders import Mailbox


def test_earlier_messages_are_delivered_before_later_ones() -> None:
    mailbox, delivered = Mailbox(), list[tuple[int, ForClient]]()
    early, late = (0, ShowMessage("error", "it ends")), (1, Progress(3))
    mailbox.deliver(*early)
    mailbox.open(lambda number, message: delivered.append((number, message)))
    mailbox.deliver(*late)
    assert delivered == [early, late]
