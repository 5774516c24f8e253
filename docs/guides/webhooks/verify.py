"""Checks the signature of a webhook delivery. Standard library only; Python 3.8 or newer."""

import hashlib
import hmac
import json
import re
import time

SIGNATURE = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})")


class WebhookVerificationError(Exception):
    """The request is not to be believed."""


def _matches(header, secret, body, now, tolerance):
    found = SIGNATURE.fullmatch(header or "")
    if not found:
        return False
    seconds, digest = found.groups()
    if abs(now - int(seconds)) > tolerance:
        return False
    expected = hmac.new(secret.encode(), seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, digest)


def verify_webhook(body, headers, secret, now=None, tolerance=300):
    """Gives back the event of a delivery, or raises WebhookVerificationError.

    body: the bytes exactly as they arrived, before any parsing. headers: a mapping with names in lower case.
    secret: the one you keep; while you change over after a rotation either header may match it.
    Deliveries of one event all carry its id: accept each id once. Answer 2xx only once the event is stored.
    """
    now = time.time() if now is None else now
    names = ("x-svc-signature", "x-svc-signature-previous")
    if not any(_matches(headers.get(name), secret, body, now, tolerance) for name in names):
        raise WebhookVerificationError("no signature of this secret matches, or it is too old")
    event = json.loads(body.decode("utf-8"))
    # Headers are not signed: the id to believe is the one in the body, and the two must agree.
    if event.get("id") != headers.get("x-svc-event-id"):
        raise WebhookVerificationError("x-svc-event-id differs from the id that was signed")
    return event
