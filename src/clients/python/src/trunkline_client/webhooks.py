"""Deliveries that the server signed."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import Any

from .errors import WebhookSignatureError


def _is_signed(signature: str | None, raw: bytes, secret: str, now: float, tolerance: float) -> bool:
    found = re.fullmatch(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})", signature or "")
    if found is None or abs(now - int(found[1])) > tolerance:
        return False
    wanted = hmac.new(secret.encode(), f"{found[1]}.".encode() + raw, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted, found[2])


def verify_webhook(
    body: bytes | str,
    signature: str | None,
    secret: str,
    event_id: str | None,
    *,
    previous_signature: str | None = None,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> dict[str, Any]:
    """Answers the event of a delivery that this server signed lately.

    `previous_signature` is the header `X-Svc-Signature-Previous`: for a day after a rotation it is by the old secret.
    `event_id` is the header `X-Svc-Event-Id`: the signed event must be the one that it names.
    `body` is what came, byte by byte; `signature` the header `X-Svc-Signature`; `secret` the organization's `whsec_…`.
    Raises WebhookSignatureError of anything else.
    """
    raw = body.encode() if isinstance(body, str) else body
    moment = time.time() if now is None else now
    said = (signature, previous_signature)
    if not any(_is_signed(one, raw, secret, moment, tolerance_seconds) for one in said):
        raise WebhookSignatureError("no signature is of this body and secret, and of late")
    event = json.loads(raw)
    if event.get("id") != event_id:
        raise WebhookSignatureError("the header names another event than the one that is signed")
    return event
