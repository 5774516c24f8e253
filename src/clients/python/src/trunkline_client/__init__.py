"""The client of a Trunkline server."""

from .client import AsyncTrunkline, Trunkline
from .errors import ConnectionFailed, SocketClosed, TrunklineError, WebhookSignatureError
from .omni import Audio, ConnectionChange, Event, Transcript
from .pages import pages, pages_async, poll, poll_async
from .retries import Retries
from .webhooks import verify_webhook

__all__ = [
    "AsyncTrunkline",
    "Audio",
    "ConnectionChange",
    "ConnectionFailed",
    "Event",
    "Retries",
    "SocketClosed",
    "Transcript",
    "Trunkline",
    "TrunklineError",
    "WebhookSignatureError",
    "pages",
    "pages_async",
    "poll",
    "poll_async",
    "verify_webhook",
]
