#!/usr/bin/env python3
"""A second verifier for Paymos webhook signatures, written from SPEC.md alone. Python 3.9 or newer, standard library only.

    python3 acceptor.py check [DIR]   run every case in DIR (default: v1/paymos beside this file)
    python3 acceptor.py judge         answer cases from standard input, one JSON object a line

It shares no code with the library beside it: where the two agree, SPEC.md says enough. Sections and D-numbers in the comments are
those of SPEC.md. For its choices (section 8) this verifier answers the preferred outcome. To check deliveries of your own, call `verify`.
"""
import argparse
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


def read_header(value):
    """Steps 3 to 10: the text of `t`, and the well-formed `v1` values as bytes in their order."""
    if value is None or not value.strip(" \t"):
        raise Refused("header_missing")
    if len(value) > MAX_HEADER:
        raise Refused("header_too_long")
    found = {"t": [], "v1": []}
    for element in value.split(","):
        key, _, content = element.strip(" \t").partition("=")
        if key in found:
            found[key].append(content)
    timestamps, signatures = found["t"], [content for content in found["v1"] if content]
    well_formed = [bytes.fromhex(content) for content in signatures if SIGNATURE.fullmatch(content)]
    if not timestamps:
        raise Refused("timestamp_missing")
    if len(timestamps) > 1:
        raise Refused("timestamp_duplicate")
    if not TIMESTAMP.fullmatch(timestamps[0]):
        raise Refused("timestamp_malformed")
    if not signatures:
        raise Refused("signature_missing")
    if len(signatures) > MAX_SIGNATURES:
        raise Refused("signatures_too_many")
    if not well_formed:
        raise Refused("signature_malformed")
    return timestamps[0], well_formed


def read_event(body):
    """Steps 15 to 18: the event as it is reported (sections 5 to 7)."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("body_not_utf8") from None
    try:  # of a name that occurs twice the last value stays; RecursionError comes far beyond the 900 levels of the specification
        envelope = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body_not_json") from None
    if not isinstance(envelope, dict):
        raise Refused("envelope_not_object")

    def field(name, kind):
        if name not in envelope:
            raise Refused("envelope_field_missing")
        if not isinstance(envelope[name], kind):
            raise Refused("envelope_field_type")
        return envelope[name]

    def text_field(name):
        value = field(name, str)
        if not value.strip(BLANKS):
            raise Refused("envelope_field_value")
        return value

    def integer_field(name, least):
        value = float(field(name, Number).text)  # the nearest double; infinite when no double holds the number
        if not math.isinf(value) and not value.is_integer():
            raise Refused("envelope_field_type")
        if not least <= value <= MAX_SAFE:
            raise Refused("envelope_field_value")
        return str(int(value))

    event = {"id": text_field("event_id"), "type": text_field("event_type")}
    event["known"] = event["type"] in KNOWN_TYPES
    event["version"] = integer_field("version", 1)
    event["occurredAt"] = integer_field("occurred_at", 0)
    data = field("data", dict)
    for prefix, kind, member in RESOURCES:
        value = data.get(member)
        if event["type"].startswith(prefix) and isinstance(value, str) and value.strip(BLANKS):
            event["resource"] = {"kind": kind, "id": value}
    return event


def verify(headers, body, secrets, now, tolerance=None, max_body=None):
    """Judge one delivery in the order of section 2; return the output of section 7 or raise Refused.

    `headers` is a list of (name, bytes), `body` is bytes, `secrets` a list of bytes, `now` a decimal string.
    """
    check_secrets(secrets)
    tolerance = TOLERANCE if tolerance is None else tolerance
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or tolerance < 0 or tolerance % 1 != 0:
        raise Refused("tolerance_invalid")
    timestamp, signatures = read_header(join_lines(headers, b"x-webhook-signature"))
    age = math.floor(Decimal(now)) - int(timestamp)
    if age > tolerance:
        raise Refused("timestamp_too_old")
    if -age > tolerance:
        raise Refused("timestamp_too_new")
    if len(body) > (MAX_BODY if max_body is None else max_body):
        raise Refused("body_too_large")

    matches = []  # every key meets every signature, without an early exit
    message = timestamp.encode() + b"." + body
    for secret, key in enumerate(secrets):
        mac = hmac_sha256(key, message)
        for signature, given in enumerate(signatures):
            if hmac.compare_digest(mac, given):
                matches.append({"secret": secret, "signature": signature})
    if not matches:
        raise Refused("signature_mismatch")

    event = read_event(body)
    delivery_id = join_lines(headers, b"x-webhook-id")
    same = delivery_id is None or delivery_id.strip(" \t") == event["id"]
    return {"timestamp": timestamp, "matched": matches[0], "warnings": [] if same else ["delivery_id_mismatch"], "event": event}


def sign(secrets, body, timestamp):
    """The header a sender makes (section 10)."""
    check_secrets(secrets)
    if not TIMESTAMP.fullmatch(timestamp):
        raise Refused("timestamp_malformed")
    message = timestamp.encode() + b"." + body
    return {"header": "t=" + timestamp + "".join(",v1=" + hmac_sha256(key, message).hex() for key in secrets)}


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


def check_header(given, headers):
    """`header` must be the joined value; it is left out only when that is not printable ASCII or is long."""
    joined = join_lines(headers, b"x-webhook-signature")
    if "header" in given:
        if given["header"] != joined:
            raise ValueError("header is not the join of headers")
    elif joined is None or (len(joined) <= 8192 and re.fullmatch("[ -~]*", joined)):
        raise ValueError("header is left out without need")


def run(case, strict=False):
    """The outcome of one case, in the form of `expect`. `strict` also checks the case itself."""
    op, given = case["op"], case["input"]
    try:
        if op == "mac":
            output = {"mac": hmac_sha256(decode(given["key"], strict), decode(given["message"], strict)).hex()}
            return {"result": "valid", "output": output}
        body = b"" if given["body"] is None else decode(given["body"], strict)
        secrets = [decode(secret, strict) for secret in given["secrets"]]
        if op == "sign":
            return {"result": "valid", "output": sign(secrets, body, given["timestamp"])}
        if op != "verify":
            raise ValueError("unknown op %r" % (op,))
        headers = [(name, decode(value, strict)) for name, value in given["headers"]]
        if strict:
            check_header(given, headers)
        if not NOW.fullmatch(given["now"]):
            raise ValueError("now is not a decimal number")
        limit = given.get("limits", {}).get("maxBodyBytes")
        return {"result": "valid", "output": verify(headers, body, secrets, given["now"], given["tolerance"], limit)}
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
        for path in sorted(path for path in folder.iterdir() if path.suffix == ".json"):
            file = read_json(path.read_bytes())
            if file["schemaVersion"] != 1 or file["profile"] != "paymos" or file["numberOfCases"] != len(file["cases"]):
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
    parser = argparse.ArgumentParser(description="A second verifier for the test vectors, written from SPEC.md alone.")
    commands = parser.add_subparsers(dest="command", required=True)
    beside = pathlib.Path(__file__).resolve().parent / "v1" / "paymos"
    commands.add_parser("check", help="run every case").add_argument("dir", nargs="?", type=pathlib.Path, default=beside)
    commands.add_parser("judge", help="answer cases from standard input, JSON Lines")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.setrecursionlimit(max(2500, sys.getrecursionlimit()))  # JSON nested 900 deep must be read wherever the call comes from
    return check(options.dir) if options.command == "check" else judge()


if __name__ == "__main__":
    sys.exit(main())
