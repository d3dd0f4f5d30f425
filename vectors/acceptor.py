#!/usr/bin/env python3
"""A second verifier for webhook signatures, written from SPEC.md and spec/ alone. Python 3.9 or newer, standard library only.

    python3 acceptor.py check [DIR]   run every case below DIR (default: v1 beside this file)
    python3 acceptor.py judge         answer cases from standard input, one JSON object a line

It shares no code with the library beside it: where the two agree, the specifications say enough. Sections and D-numbers in the comments
are those of SPEC.md, other numbers those of spec/. For its choices (section 8) this verifier answers the preferred outcome. To check
deliveries of your own, call `verify`.
"""
import argparse
import base64
import binascii
import collections
import datetime
import hashlib
import hmac
import json
import math
import pathlib
import re
import sys
import time
from decimal import Decimal

MAX_HEADER, MAX_SIGNATURES, MAX_BODY, TOLERANCE, MAX_SAFE = 4096, 16, 1048576, 300, 2**53 - 1
BLANKS = "\t\n\v\f\r \u00a0"  # section 6: the characters of a blank string; str.isspace() and str.strip() know many more
KNOWN_TYPES = set(
    "invoice.awaiting_payment invoice.confirming invoice.underpaid_waiting invoice.paid invoice.paid_over invoice.underpaid "
    "invoice.expired invoice.cancelled withdrawal.created withdrawal.processing withdrawal.completed withdrawal.failed "
    "withdrawal.cancelled payment_channel.deposit.confirming payment_channel.deposit.reorged "
    "payment_channel.deposit.confirmed".split()
)
RESOURCES = (  # prefix of the event type, kind of the resource, member of `data` with its id
    ("invoice.", "invoice", "invoice_id"),
    ("withdrawal.", "withdrawal", "withdrawal_id"),
    ("payment_channel.deposit.", "payment_channel_deposit", "id"),
)
CAPABILITIES = {"sign", "mac", "tolerance", "limits", "multi-secret", "secret-bytes", "raw-body", "header-lines", "header-bytes", "timestamp-text"}

# Used with fullmatch only: `$` would let a final newline pass. \d and int() would let digits of other scripts and `_` pass.
TIMESTAMP = re.compile("0|[1-9][0-9]{0,11}")
SIGNATURE = re.compile("[0-9A-Fa-f]{64}")
NOW = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
HEX_BYTES = re.compile("(?:[0-9a-f]{2})*")
HUB_SIGNATURE = re.compile("[0-9a-f]{64}")
DELIVERY_ID = re.compile("[!-~]{1,256}")
RFC3339 = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})")


class Refused(Exception):
    """The delivery is refused; the argument is the reason."""


class Number:
    """A JSON number as it is written: its size never makes a document invalid (D16), and int() gives up at 4,300 digits."""

    def __init__(self, text):
        self.text = text


def no_constant(name):
    raise ValueError(name + " is not JSON")


def join_lines(headers, wanted):
    """The joined value of a header (D5) with one character for each byte, or None when it is absent.

    Names compare as bytes: bytes.lower() changes ASCII only, str.lower() would take the Kelvin sign for a k.
    """
    values = [value for name, value in headers if name.encode("utf-8", "surrogatepass").lower() == wanted]
    return b", ".join(values).decode("latin-1") if values else None


def hmac_sha256(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def check_secrets(secrets):
    if not secrets or not all(secrets):
        raise Refused("secret_missing")


# What a header says: the signatures as bytes in their order, the text of the time (None where none is signed), the signed bytes before
# the body, and the id of the delivery where it is signed in a header.
Parts = collections.namedtuple("Parts", "signatures timestamp head id", defaults=(None, b"", None))


def present(value):
    """A signature header that is there and neither blank nor too long (steps 3 and 4)."""
    if value is None or not value.strip(" \t"):
        raise Refused("header_missing")
    if len(value) > MAX_HEADER:
        raise Refused("header_too_long")
    return value


def well_formed(signatures, decode_one):
    """Steps 8 to 10: the signatures that have the right form, decoded."""
    if not signatures:
        raise Refused("signature_missing")
    if len(signatures) > MAX_SIGNATURES:
        raise Refused("signatures_too_many")
    decoded = [signature for signature in map(decode_one, signatures) if signature is not None]
    if not decoded:
        raise Refused("signature_malformed")
    return decoded


def decode_hex(text):
    return bytes.fromhex(text) if SIGNATURE.fullmatch(text) else None


def decode_base64(text):
    """The bytes of base64 in its one canonical form, else None (W6): b64decode alone lets spare bits pass."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None


def read_timestamped(headers, name):
    """Steps 3 to 10, the grammar `t=…,v1=…` of Paymos and Stripe."""
    found = {"t": [], "v1": []}
    for element in present(join_lines(headers, name)).split(","):
        key, _, content = element.strip(" \t").partition("=")
        if key in found:
            found[key].append(content)
    timestamps, signatures = found["t"], [content for content in found["v1"] if content]
    if not timestamps:
        raise Refused("timestamp_missing")
    if len(timestamps) > 1:
        raise Refused("timestamp_duplicate")
    if not TIMESTAMP.fullmatch(timestamps[0]):
        raise Refused("timestamp_malformed")
    return Parts(well_formed(signatures, decode_hex), timestamps[0], timestamps[0].encode() + b".")


def standard_head(delivery_id, timestamp):
    """Id and time as W3 and W4 want them, and the signed bytes they make (W9)."""
    if not delivery_id:
        raise Refused("header_missing")
    if not DELIVERY_ID.fullmatch(delivery_id):
        raise Refused("header_malformed")
    if not timestamp:
        raise Refused("timestamp_missing")
    if not TIMESTAMP.fullmatch(timestamp):
        raise Refused("timestamp_malformed")
    return ("%s.%s." % (delivery_id, timestamp)).encode()


def read_standard(headers):
    """W1 to W7."""
    family = b"svix-" if join_lines(headers, b"webhook-signature") is None else b"webhook-"
    value = present(join_lines(headers, family + b"signature"))
    delivery_id, timestamp = (join_lines(headers, family + name) for name in (b"id", b"timestamp"))
    head = standard_head(delivery_id, timestamp)

    def decode_one(text):
        data = decode_base64(text)
        return data if data is not None and len(data) == 32 else None

    texts = [text[3:] for text in value.split(" ") if text.startswith("v1,") and len(text) > 3]
    return Parts(well_formed(texts, decode_one), timestamp, head, delivery_id)


def read_hub(headers):
    """G1 to G4, F1 to F4. There is no limit on the length: everything but one form is refused."""
    value = join_lines(headers, b"x-hub-signature-256")
    if value is None or not value.strip(" \t"):
        raise Refused("header_missing")
    if not value.startswith("sha256="):
        raise Refused("header_malformed")
    if not HUB_SIGNATURE.fullmatch(value[7:]):
        raise Refused("signature_malformed")
    return Parts([bytes.fromhex(value[7:])])


def standard_key(secret):
    """W10."""
    text = secret.decode("latin-1")
    key = decode_base64(text[6:] if text.startswith("whsec_") else text)
    if not key:
        raise Refused("secret_invalid")
    return key


def read_json_text(body):
    """Steps 15 and 16 (section 5)."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("body_not_utf8") from None
    try:  # of a name that occurs twice the last value stays; RecursionError comes far beyond the 900 levels of the specification
        return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body_not_json") from None


def is_text(value):
    return isinstance(value, str) and bool(value.strip(BLANKS))


def field(envelope, name, kind):
    """A required member of a type; a text is not blank."""
    if name not in envelope:
        raise Refused("envelope_field_missing")
    if not isinstance(envelope[name], kind):
        raise Refused("envelope_field_type")
    if kind is str and not is_text(envelope[name]):
        raise Refused("envelope_field_value")
    return envelope[name]


def objects(value):
    """The objects of a list, or none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def moment(value):
    """A time as unix seconds or RFC 3339 text, in decimal, or None (S13, W14)."""
    if isinstance(value, Number):
        seconds = float(value.text)
        return str(int(seconds)) if seconds.is_integer() and 0 <= seconds <= MAX_SAFE else None
    written = RFC3339.fullmatch(value) if isinstance(value, str) else None
    if written is None:
        return None
    try:  # the fraction is dropped, which rounds down; an offset as fromisoformat of Python 3.9 wants it
        time_text = written.group(1) + written.group(2).replace("Z", "+00:00")
        seconds = int(datetime.datetime.fromisoformat(time_text).timestamp())
    except (ValueError, OverflowError):
        return None
    return str(seconds) if seconds >= 0 else None


def facts(**members):
    """An event without the members that are None."""
    return {name: value for name, value in members.items() if value is not None}


def paymos_event(envelope, headers, parts):
    """Step 18 and sections 6 and 7: the event and the warnings."""
    def integer_field(name, least):
        value = float(field(envelope, name, Number).text)  # the nearest double; infinite when no double holds the number
        if not math.isinf(value) and not value.is_integer():
            raise Refused("envelope_field_type")
        if not least <= value <= MAX_SAFE:
            raise Refused("envelope_field_value")
        return str(int(value))

    event = {"id": field(envelope, "event_id", str), "type": field(envelope, "event_type", str)}
    event["known"] = event["type"] in KNOWN_TYPES
    event["version"] = integer_field("version", 1)
    event["occurredAt"] = integer_field("occurred_at", 0)
    data = field(envelope, "data", dict)
    for prefix, kind, member in RESOURCES:
        if event["type"].startswith(prefix) and is_text(data.get(member)):
            event["resource"] = {"kind": kind, "id": data[member]}
    delivery_id = join_lines(headers, b"x-webhook-id")
    same = delivery_id is None or delivery_id.strip(" \t") == event["id"]
    return event, [] if same else ["delivery_id_mismatch"]


def stripe_event(envelope, headers, parts):
    """S12 and S13."""
    event_id, kind = field(envelope, "id", str), field(envelope, "type", str)
    data = envelope.get("data")
    subject, name = (data.get("object"), "object") if isinstance(data, dict) else (envelope.get("related_object"), "type")
    found = isinstance(subject, dict) and is_text(subject.get(name)) and is_text(subject.get("id"))
    resource = {"kind": subject[name], "id": subject["id"]} if found else None
    return facts(id=event_id, type=kind, idSigned=True, occurredAt=moment(envelope.get("created")), resource=resource), []


def standard_event(envelope, headers, parts):
    """W14."""
    kind = envelope["type"] if is_text(envelope.get("type")) else ""
    return facts(id=parts.id, type=kind, idSigned=True, occurredAt=moment(envelope.get("timestamp"))), []


def github_event(envelope, headers, parts):
    """G10."""
    delivery_id, kind = (join_lines(headers, name) for name in (b"x-github-delivery", b"x-github-event"))
    return facts(id=delivery_id or None, type=kind or "", idSigned=False), []


def direct_id(item):
    """F11: the id of a message or a postback of Messenger and Instagram. A deletion has that of an older message, so none."""
    message, postback = item.get("message"), item.get("postback")
    if isinstance(message, dict):
        return None if message.get("is_deleted") is True else message.get("mid")
    return postback.get("mid") if isinstance(postback, dict) else None


def meta_event(envelope, headers, parts):
    """F10 and F11."""
    kind, items = field(envelope, "object", str), []
    for entry in objects(field(envelope, "entry", list)):
        values = [change["value"] for change in objects(entry.get("changes")) if isinstance(change.get("value"), dict)]
        items += [direct_id(item) for item in objects(entry.get("messaging"))]
        items += [message.get("id") for value in values for message in objects(value.get("messages"))]
    return {"type": kind, "idSigned": True, "items": [item for item in items if is_text(item)]}, []


# One provider: reads the headers, makes a key of a secret, reports the event; `header` is the signature header of a ready-made value.
Scheme = collections.namedtuple("Scheme", "read key event header")
SCHEMES = {
    "paymos": Scheme(lambda headers: read_timestamped(headers, b"x-webhook-signature"), bytes, paymos_event, b"x-webhook-signature"),
    "stripe": Scheme(lambda headers: read_timestamped(headers, b"stripe-signature"), bytes, stripe_event, b"stripe-signature"),
    "standard-webhooks": Scheme(read_standard, standard_key, standard_event, None),
    "github": Scheme(read_hub, bytes, github_event, b"x-hub-signature-256"),
    "meta": Scheme(read_hub, bytes, meta_event, b"x-hub-signature-256"),
}
TIMELESS = {"github", "meta"}


def check_tolerance(profile, tolerance):
    """D10, S7, W8; G5 and F5."""
    if profile in TIMELESS:
        if tolerance is not None:
            raise Refused("tolerance_invalid")
        return None
    tolerance = TOLERANCE if tolerance is None else tolerance
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or tolerance < 0 or tolerance % 1 != 0:
        raise Refused("tolerance_invalid")
    return tolerance


def verify(headers, body, secrets, now, tolerance=None, max_body=None, profile="paymos"):
    """Judge one delivery in the order of section 2; return the output of section 7 or raise Refused.

    `headers` is a list of (name, bytes), `body` is bytes, `secrets` a list of bytes, `now` a decimal string.
    """
    scheme = SCHEMES[profile]
    check_secrets(secrets)
    tolerance = check_tolerance(profile, tolerance)
    keys = [scheme.key(secret) for secret in secrets]
    parts = scheme.read(headers)
    if parts.timestamp is not None:
        age = math.floor(Decimal(now)) - int(parts.timestamp)
        if age > tolerance:
            raise Refused("timestamp_too_old")
        if -age > tolerance:
            raise Refused("timestamp_too_new")
    if len(body) > (MAX_BODY if max_body is None else max_body):
        raise Refused("body_too_large")

    matches = []  # every key meets every signature, without an early exit
    for secret, key in enumerate(keys):
        mac = hmac_sha256(key, parts.head + body)
        for signature, given in enumerate(parts.signatures):
            if hmac.compare_digest(mac, given):
                matches.append({"secret": secret, "signature": signature})
    if not matches:
        raise Refused("signature_mismatch")

    envelope = read_json_text(body)
    if not isinstance(envelope, dict):
        raise Refused("envelope_not_object")
    event, warnings = scheme.event(envelope, headers, parts)
    output = {"matched": matches[0], "warnings": warnings, "event": event}
    return output if parts.timestamp is None else dict(output, timestamp=parts.timestamp)


def sign(secrets, body, timestamp=None, delivery_id=None, profile="paymos"):
    """The signature header a sender makes (section 10; S15, W16, G12, F12)."""
    check_secrets(secrets)
    keys = [SCHEMES[profile].key(secret) for secret in secrets]
    if profile in TIMELESS:
        if len(keys) > 1:
            raise Refused("secret_invalid")
        return {"header": "sha256=" + hmac_sha256(keys[0], body).hex()}
    if profile == "standard-webhooks":
        head = standard_head(delivery_id, timestamp)
        macs = [base64.b64encode(hmac_sha256(key, head + body)).decode() for key in keys]
        return {"header": " ".join("v1," + mac for mac in macs)}
    if not TIMESTAMP.fullmatch(timestamp):
        raise Refused("timestamp_malformed")
    message = timestamp.encode() + b"." + body
    return {"header": "t=" + timestamp + "".join(",v1=" + hmac_sha256(key, message).hex() for key in keys)}


# Below: reading cases (section 11). A ValueError there means that the case, not the delivery, is wrong.

def read_json(data):
    """A case file, or a line for `judge`."""
    return json.loads(data.decode("utf-8"), parse_constant=no_constant)


def decode(obj, strict):
    """The bytes of a bytes object. `length` and `sha256` must be right; when `strict` they must also be there."""
    def unit(part, kinds):
        kind, *others = [kind for kind in kinds if kind in part] or [None]
        if kind is None or others:
            raise ValueError("a bytes object needs exactly one of " + ", ".join(kinds))
        if kind == "utf8":
            return part["utf8"].encode("utf-8")
        if kind == "hex":  # bytes.fromhex alone skips white space and takes upper case
            if not HEX_BYTES.fullmatch(part["hex"]):
                raise ValueError("hex is not pairs of lower-case digits")
            return bytes.fromhex(part["hex"])
        return b"".join(unit(entry, ("utf8", "hex")) * entry.get("times", 1) for entry in part["parts"])

    data = unit(obj, ("utf8", "hex", "parts"))
    for name, right in (("length", len(data)), ("sha256", hashlib.sha256(data).hexdigest())):
        if (strict or name in obj) and obj.get(name) != right:
            raise ValueError("%s is %r, should be %r" % (name, obj.get(name), right))
    return data


def profile_of(case):
    """The profile that a case names, or its id does."""
    name = case.get("profile") or case.get("id", "paymos/").split("/")[0]
    if name not in SCHEMES:
        raise ValueError("unknown profile %r" % (name,))
    return name


def check_header(given, headers, name):
    """`header` must be the joined value; it is left out only when that is not printable ASCII or is long, or there is not one header."""
    joined = None if name is None else join_lines(headers, name)
    if name is None:
        if "header" in given:
            raise ValueError("header is there, but this profile signs several")
    elif "header" in given:
        if given["header"] != joined:
            raise ValueError("header is not the join of headers")
    elif joined is None or (len(joined) <= 8192 and re.fullmatch("[ -~]*", joined)):
        raise ValueError("header is left out without need")


def run(case, strict=False):
    """The outcome of one case, in the form of `expect`. `strict` also checks the case itself."""
    op, given, profile = case["op"], case["input"], profile_of(case)
    try:
        if op == "mac":
            output = {"mac": hmac_sha256(decode(given["key"], strict), decode(given["message"], strict)).hex()}
            return {"result": "valid", "output": output}
        body = b"" if given["body"] is None else decode(given["body"], strict)
        secrets = [decode(secret, strict) for secret in given["secrets"]]
        if op == "sign":
            return {"result": "valid", "output": sign(secrets, body, given.get("timestamp"), given.get("id"), profile)}
        if op != "verify":
            raise ValueError("unknown op %r" % (op,))
        headers = [(name, decode(value, strict)) for name, value in given["headers"]]
        if strict:
            check_header(given, headers, SCHEMES[profile].header)
        if not NOW.fullmatch(given["now"]):
            raise ValueError("now is not a decimal number")
        limit = given.get("limits", {}).get("maxBodyBytes")
        return {"result": "valid", "output": verify(headers, body, secrets, given["now"], given["tolerance"], limit, profile)}
    except Refused as refusal:
        return {"result": "invalid", "reason": str(refusal)}


def crash(error):
    return {"result": "crash", "error": "%s: %s" % (type(error).__name__, error)}


def exact(outcome):
    """A text that is equal for equal outcomes only; Python alone holds 1, 1.0 and True for equal."""
    return json.dumps(outcome, sort_keys=True)


def disagreement(case, made):
    """None when the case passes, else (expected, got). `made` keeps the answer already given for each choice."""
    expect, started = case["expect"], time.perf_counter()
    try:
        got = run(case, strict=True)
    except Exception as error:  # a crash is a failed case, not the end
        got = crash(error)
    spent = (time.perf_counter() - started) * 1000
    allowed = expect["oneOf"] if expect["result"] == "acceptable" else [expect]
    if exact(got) not in map(exact, allowed):
        return exact(expect), exact(got)
    if spent > case.get("budgetMs", math.inf):
        return "an answer in %d ms" % case["budgetMs"], "%d ms" % spent
    if expect["result"] == "acceptable":
        answer = got.get("reason", got["result"])
        before = made.setdefault(expect["choice"], answer)
        if answer != before:
            return "%s as for the choice %s before" % (before, expect["choice"]), answer
    return None


def check(folder):
    """Run all cases: 0 when all agree, 1 when one does not, 2 when the files cannot be read."""
    cases, made, failed, skipped = [], {}, 0, 0
    try:
        for path in sorted(folder.rglob("*.json")):
            file = read_json(path.read_bytes())
            if file["schemaVersion"] != 1 or file["profile"] not in SCHEMES or file["numberOfCases"] != len(file["cases"]):
                raise ValueError("%s: another schema or profile, or incomplete" % path)
            cases += [(case["id"], case["title"], case["op"], set(case["requires"]), case) for case in file["cases"]]
        if not cases:
            raise ValueError("no cases in %s" % folder)
    except Exception as error:
        print("cannot read the cases: %s: %s" % (type(error).__name__, error), file=sys.stderr)
        return 2
    for name, title, op, requires, case in cases:
        if op not in ("verify", "sign", "mac") or requires - CAPABILITIES:
            skipped += 1
            print("%s: %s: skipped, unknown op or capability: %s %s" % (name, title, op, sorted(requires - CAPABILITIES)))
            continue
        problem = disagreement(case, made)
        if problem:
            failed += 1
            print("%s: %s: expected %s, got %s" % (name, title, *problem))
    print("%d passed, %d failed" % (len(cases) - failed - skipped, failed))
    return 1 if failed else 0


def judge():
    """One outcome line for every line that is not empty. Nothing in a line ends the process."""
    for line in filter(bytes.strip, sys.stdin.buffer):
        try:
            outcome = run(read_json(line))
        except Exception as error:
            outcome = crash(error)
        print(json.dumps(outcome), flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description="A second verifier for the test vectors, written from the specifications alone.")
    commands = parser.add_subparsers(dest="command", required=True)
    beside = pathlib.Path(__file__).resolve().parent / "v1"
    commands.add_parser("check", help="run every case below a folder").add_argument("dir", nargs="?", type=pathlib.Path, default=beside)
    commands.add_parser("judge", help="answer cases from standard input, JSON Lines")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.setrecursionlimit(max(2500, sys.getrecursionlimit()))  # JSON nested 900 deep must be read wherever the call comes from
    return check(options.dir) if options.command == "check" else judge()


if __name__ == "__main__":
    sys.exit(main())
