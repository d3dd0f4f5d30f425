"""Verifies signed webhooks, by the rules of ../../SPEC.md. Python 3.9+, standard library only."""
import hashlib, hmac, json, math, re

MAX_SAFE, BLANKS = 2**53 - 1, "\t\n\v\f\r \u00a0"
RESOURCES = (("invoice.", "invoice", "invoice_id"), ("withdrawal.", "withdrawal", "withdrawal_id"),
             ("payment_channel.deposit.", "payment_channel_deposit", "id"))
KNOWN = {prefix + state for prefix, states in (
    ("invoice.", "awaiting_payment confirming underpaid_waiting paid paid_over underpaid expired cancelled"),
    ("withdrawal.", "created processing completed failed cancelled"),
    ("payment_channel.deposit.", "confirming reorged confirmed")) for state in states.split()}


class Refused(Exception):
    """The delivery is refused; str() of this is the reason."""


def need(condition, reason):
    if not condition:
        raise Refused(reason)


def mac(key, message):
    return hmac.new(key, message, hashlib.sha256).hexdigest()


def header(headers, wanted):
    """The lines of that name joined (D5), one character for each byte; None when there is none."""
    lines = [value for name, value in headers if name.isascii() and name.lower() == wanted]
    return b", ".join(lines).decode("latin-1") if lines else None


def signed_head(timestamp):
    need(re.fullmatch("0|[1-9][0-9]{0,11}", timestamp), "timestamp_malformed")
    return timestamp.encode() + b"."


def read_timed(value):
    """A header t=…,v1=…: the signed bytes before the body, the time, the well-formed signatures."""
    need(len(value) <= 4096, "header_too_long")
    elements = [element.strip(" \t").partition("=") for element in value.split(",")]
    times = [content for key, _, content in elements if key == "t"]
    signatures = [content for key, _, content in elements if key == "v1" and content]
    need(times, "timestamp_missing")
    need(len(times) == 1, "timestamp_duplicate")
    head = signed_head(times[0])
    need(signatures, "signature_missing")
    need(len(signatures) <= 16, "signatures_too_many")
    signatures = [text.lower() for text in signatures if re.fullmatch("[0-9A-Fa-f]{64}", text)]
    need(signatures, "signature_malformed")
    return head, times[0], signatures


def is_text(value):
    return isinstance(value, str) and value.strip(BLANKS) != ""


def member(envelope, name, kind):
    need(name in envelope, "envelope_field_missing")
    need(type(envelope[name]) is kind, "envelope_field_type")
    need(kind is not str or is_text(envelope[name]), "envelope_field_value")
    return envelope[name]


def whole(envelope, name, least):
    number = member(envelope, name, float)
    need(math.isinf(number) or number.is_integer(), "envelope_field_type")
    need(least <= number <= MAX_SAFE, "envelope_field_value")
    return str(int(number))


def paymos_event(envelope, headers):
    event = {"id": member(envelope, "event_id", str), "type": member(envelope, "event_type", str)}
    event |= {"known": event["type"] in KNOWN, "version": whole(envelope, "version", 1),
              "occurredAt": whole(envelope, "occurred_at", 0)}
    data, delivery = member(envelope, "data", dict), header(headers, "x-webhook-id")
    for prefix, kind, name in RESOURCES:
        if event["type"].startswith(prefix) and is_text(data.get(name)):
            event["resource"] = {"kind": kind, "id": data[name]}
    same = delivery is None or delivery.strip(" \t") == event["id"]
    return event, [] if same else ["delivery_id_mismatch"]


PAYMOS = ("x-webhook-signature", read_timed, paymos_event)


def parse(body):
    try:  # numbers are doubles, as int() gives up at 4,300 digits; NaN and Infinity it always refuses
        return json.loads(body.decode("utf-8"), parse_int=float, parse_constant=int)
    except UnicodeDecodeError:
        raise Refused("body_not_utf8") from None
    except (ValueError, RecursionError):
        raise Refused("body_not_json") from None


def verify(headers, body, secrets, now, tolerance=None, max_body_bytes=1048576, scheme=PAYMOS):
    """Returns what the delivery says, or raises Refused: the first step of section 2 that fails.

    headers: (name, bytes) pairs; body: the bytes received; secrets: a list of bytes; now: unix seconds.
    """
    name, read, read_event = scheme
    need(secrets and all(secrets), "secret_missing")
    given = tolerance is not None  # schemes without a time take none
    need(not given or (read is read_timed and type(tolerance) is int and tolerance >= 0), "tolerance_invalid")
    value = header(headers, name)
    need(value is not None and value.strip(" \t"), "header_missing")
    head, timestamp, signatures = read(value)
    if timestamp is not None:
        age, window = math.floor(now) - int(timestamp), tolerance if given else 300
        need(age <= window, "timestamp_too_old")
        need(-age <= window, "timestamp_too_new")
    need(len(body) <= max_body_bytes, "body_too_large")
    macs = [mac(secret, head + body) for secret in secrets]
    matches = [{"secret": key, "signature": place} for key, right in enumerate(macs)
               for place, text in enumerate(signatures) if hmac.compare_digest(right, text)]
    need(matches, "signature_mismatch")
    envelope = parse(body)
    need(type(envelope) is dict, "envelope_not_object")
    event, warnings = read_event(envelope, headers)
    output = {"matched": matches[0], "warnings": warnings, "event": event}
    return output if timestamp is None else {"timestamp": timestamp, **output}


def sign(secrets, body, timestamp):
    """The header t=…,v1=… for a body."""
    need(secrets and all(secrets), "secret_missing")
    message = signed_head(timestamp) + body
    return "t=" + timestamp + "".join(",v1=" + mac(secret, message) for secret in secrets)
