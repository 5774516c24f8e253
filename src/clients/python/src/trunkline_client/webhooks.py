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
    *,
    event_id: str | None = None,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> dict[str, Any]:
    """Answers the event of a delivery that this server signed lately.

    `event_id` is the header `X-Svc-Event-Id`: where it is said, the signed event must be the one that it names.
    `body` is what came, byte by byte; `signature` the header `X-Svc-Signature`; `secret` the organization's `whsec_…`.
    Raises WebhookSignatureError of anything else.
    """
    if not signature:
        raise WebhookSignatureError("the delivery carries no signature")
    pairs = [part.strip().split("=", 1) for part in signature.split(",")]
    at = next((pair[1] for pair in pairs if pair[0] == "t" and len(pair) == 2), "")
    digests = [pair[1] for pair in pairs if pair[0] == "v1" and len(pair) == 2]
    if not re.fullmatch(r"[0-9]{1,12}", at) or not digests:
        raise WebhookSignatureError("the signature is not t=<seconds>,v1=<hex>")
    raw = body.encode() if isinstance(body, str) else body
    wanted = hmac.new(secret.encode(), f"{at}.".encode() + raw, hashlib.sha256).hexdigest().encode()
    if not any(hmac.compare_digest(wanted, digest.encode()) for digest in digests):
        raise WebhookSignatureError("the signature is of another body or secret")
    if abs((time.time() if now is None else now) - int(at)) > tolerance_seconds:
        raise WebhookSignatureError("the delivery is older than the tolerance")
    event = json.loads(raw)
    if event_id is not None and event.get("id") != event_id:
        raise WebhookSignatureError("the header names another event than the one that is signed")
    return event
