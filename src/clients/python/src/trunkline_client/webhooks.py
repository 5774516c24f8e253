"""Deliveries that the server signed."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import Any

from .errors import WebhookSignatureError


def verify_webhook(
    body: bytes | str,
    signature: str | None,
    secret: str,
    event_id: str | None,
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> dict[str, Any]:
    """Answers the event of a delivery that this server signed lately.

    `event_id` is the header `X-Svc-Event-Id`: the signed event must be the one that it names.
    `body` is what came, byte by byte; `signature` the header `X-Svc-Signature`; `secret` the organization's `whsec_…`.
    Raises WebhookSignatureError of anything else.
    """
    found = re.fullmatch(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})", signature or "")
    if found is None:
        raise WebhookSignatureError("the signature is not t=<seconds>,v1=<hex>")
    at, digest = found.groups()
    raw = body.encode() if isinstance(body, str) else body
    wanted = hmac.new(secret.encode(), f"{at}.".encode() + raw, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(wanted, digest):
        raise WebhookSignatureError("the signature is of another body or secret")
    if abs((time.time() if now is None else now) - int(at)) > tolerance_seconds:
        raise WebhookSignatureError("the delivery is older than the tolerance")
    event = json.loads(raw)
    if event.get("id") != event_id:
        raise WebhookSignatureError("the header names another event than the one that is signed")
    return event
