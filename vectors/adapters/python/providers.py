"""Stripe and GitHub for hookproof.py: ../../spec/stripe.md and ../../spec/github.md."""
import re
from datetime import datetime

from hookproof import MAX_SAFE, header, is_text, mac, member, need, read_timed

RFC3339 = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)


def seconds(value):
    """A number, or RFC 3339 text without its fraction, as unix seconds; else None (S13)."""
    try:
        if isinstance(value, str) and (parts := RFC3339.fullmatch(value)):
            value = datetime.strptime("".join(parts.groups()), "%Y-%m-%dT%H:%M:%S%z").timestamp()
        good = type(value) is float and value.is_integer() and 0 <= value <= MAX_SAFE
        return str(int(value)) if good else None
    except ValueError:  # there is no such day
        return None


def stripe_event(envelope, headers):
    event = {"id": member(envelope, "id", str), "type": member(envelope, "type", str), "idSigned": True}
    created, snapshot = seconds(envelope.get("created")), type(envelope.get("data")) is dict
    subject = envelope["data"].get("object") if snapshot else envelope.get("related_object")
    kind = "object" if snapshot else "type"
    if created is not None:
        event["occurredAt"] = created
    if type(subject) is dict and is_text(subject.get(kind)) and is_text(subject.get("id")):
        event["resource"] = {"kind": subject[kind], "id": subject["id"]}
    return event, []


def read_hub(value):
    """GitHub signs no time (G2, G3)."""
    need(value.startswith("sha256="), "header_malformed")
    need(re.fullmatch("[0-9a-f]{64}", value[7:]), "signature_malformed")
    return b"", None, [value[7:]]


def github_event(envelope, headers):
    event = {"type": header(headers, "x-github-event") or "", "idSigned": False}
    delivery = header(headers, "x-github-delivery")
    return ({**event, "id": delivery} if delivery else event), []


def sign_github(secrets, body):
    need(secrets and all(secrets), "secret_missing")
    need(len(secrets) == 1, "secret_invalid")
    return "sha256=" + mac(secrets[0], body)


STRIPE = ("stripe-signature", read_timed, stripe_event)
GITHUB = ("x-hub-signature-256", read_hub, github_event)
