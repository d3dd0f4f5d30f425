#!/usr/bin/env python3
"""A second verifier for Paymos webhook signatures, written from SPEC.md alone.

    python3 acceptor.py check [DIR]   run every case in DIR (default: v1/paymos beside this file)
    python3 acceptor.py judge         answer cases from standard input, one JSON object a line

It shares no code with the library beside it: where the two agree, the rules of SPEC.md say enough. Python 3.9 or newer, standard
library only. Where SPEC.md leaves a choice (section 8), this verifier answers the preferred outcome.

To check deliveries of your own, call `verify`; it takes plain bytes. "Section" and "D" in the comments refer to SPEC.md.
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

SIGNATURE_HEADER, ID_HEADER = "X-Webhook-Signature", "X-Webhook-Id"
MAX_HEADER, MAX_SIGNATURES, MAX_BODY, TOLERANCE = 4096, 16, 1048576, 300
MAX_SAFE = 2**53 - 1
BLANKS = "\t\n\v\f\r \u00a0"  # section 6: what a blank string is made of
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
CAPABILITIES = {"sign", "mac", "tolerance", "limits", "multi-secret", "secret-bytes", "raw-body", "header-lines", "header-bytes"}

# Always used with fullmatch: `$` would let a final newline pass, and \d or int() would let digits of other scripts and `_` pass.
TIMESTAMP = re.compile("0|[1-9][0-9]{0,11}")
SIGNATURE = re.compile("[0-9A-Fa-f]{64}")
NOW = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
HEX_BYTES = re.compile("(?:[0-9a-f]{2})*")


class Refused(Exception):
    """The delivery is refused; the argument is the reason code."""


class BadInput(Exception):
    """The case itself is not what section 11 describes."""


# ---------------------------------------------------------------------------------------------------------------------------- JSON

TOKEN = re.compile(
    r"""[ \t\n\r]*(?:(?P<string>"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*)*")"""
    r"""|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"""
    r"""|(?P<word>true|false|null)|(?P<mark>[\[\]{}:,])|(?P<end>\Z)|(?P<bad>.))""",
    re.DOTALL,
)
VALUE = frozenset(("string", "number", "word", "{", "["))
WORDS = {"true": True, "false": False, "null": None}


class Number:
    """A JSON number, kept as it is written: its size never makes a document invalid (D16)."""

    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text


def parse_json(text):
    """Read exactly one RFC 8259 value (section 5), or refuse with `body_not_json`.

    The `json` module accepts NaN, stops at long integers and runs out of stack on deep nesting; this is a loop, so depth costs
    nothing. The document is parsed as the only item of `root`. Of a name that occurs twice the last value counts.
    """
    root = []
    stack, expected, name = [root], VALUE, None
    for match in TOKEN.finditer(text):
        kind = match.lastgroup
        token = match.group(kind)
        if kind == "mark":
            kind = token
        if kind not in expected:
            raise Refused("body_not_json")
        inside = stack[-1]
        if kind == "end":
            return root[0]
        if kind == ":":
            expected = VALUE
        elif kind == ",":
            expected = VALUE if isinstance(inside, list) else ("string",)
        elif kind in "]}":
            stack.pop()
        elif isinstance(inside, dict) and name is None:
            name, expected = unquote(token), (":",)
            continue
        else:
            if kind == "string":
                value = unquote(token)
            elif kind == "number":
                value = Number(token)
            else:
                value = WORDS[token] if kind == "word" else [] if kind == "[" else {}
            if isinstance(inside, list):
                inside.append(value)
            else:
                inside[name], name = value, None
            if kind in "[{":
                stack.append(value)
                expected = VALUE | {"]"} if kind == "[" else ("string", "}")
                continue
        if kind not in ":,":  # a value or a container is complete
            expected = ("end",) if len(stack) == 1 else (",", "]" if isinstance(stack[-1], list) else "}")
    raise Refused("body_not_json")


def unquote(token):
    """The characters of a string token that is already known to be well-formed."""
    return json.loads(token) if "\\" in token else token[1:-1]


# -------------------------------------------------------------------------------------------------------------------------- verify

def join_lines(headers, wanted):
    """The joined value of a header (D5), one character for each byte, or None when it is absent.

    Names compare as bytes: bytes.lower() knows ASCII only, str.lower() would take the Kelvin sign for a k.
    """
    wanted = wanted.encode().lower()
    values = [value for name, value in headers if name.encode("utf-8", "surrogatepass").lower() == wanted]
    return b", ".join(values).decode("latin-1") if values else None


def hmac_sha256(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def check_secrets(secrets):
    if not secrets or not all(secrets):
        raise Refused("secret_missing")


def read_header(value):
    """Steps 3 to 10: the text of `t` and the well-formed `v1` values as bytes, in header order."""
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
    signatures = [bytes.fromhex(content) for content in signatures if SIGNATURE.fullmatch(content)]
    if not signatures:
        raise Refused("signature_malformed")
    return timestamps[0], signatures


def read_event(body):
    """Steps 15 to 18: the event as it is reported (sections 5 to 7)."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("body_not_utf8") from None
    envelope = parse_json(text)
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
        value = float(field(name, Number).text)  # the nearest double, infinite when there is none
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
    """Judge one delivery in the order of section 2; return its output (section 7) or raise Refused.

    `headers` is a list of (name, bytes), `body` is bytes, `secrets` a list of bytes, `now` a decimal string.
    """
    check_secrets(secrets)
    tolerance = TOLERANCE if tolerance is None else tolerance
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or tolerance % 1 != 0 or tolerance < 0:
        raise Refused("tolerance_invalid")
    timestamp, signatures = read_header(join_lines(headers, SIGNATURE_HEADER))
    age = math.floor(Decimal(now)) - int(timestamp)
    if age > tolerance:
        raise Refused("timestamp_too_old")
    if -age > tolerance:
        raise Refused("timestamp_too_new")
    if len(body) > (MAX_BODY if max_body is None else max_body):
        raise Refused("body_too_large")

    matches = []  # every key against every signature, without an early exit
    message = timestamp.encode() + b"." + body
    for secret, key in enumerate(secrets):
        mac = hmac_sha256(key, message)
        for signature, given in enumerate(signatures):
            if hmac.compare_digest(mac, given):
                matches.append({"secret": secret, "signature": signature})
    if not matches:
        raise Refused("signature_mismatch")

    event = read_event(body)
    delivery_id = join_lines(headers, ID_HEADER)
    same = delivery_id is None or delivery_id.strip(" \t") == event["id"]
    return {"timestamp": timestamp, "matched": matches[0], "warnings": [] if same else ["delivery_id_mismatch"], "event": event}


def sign(secrets, body, timestamp):
    """The header a sender makes (section 10)."""
    check_secrets(secrets)
    if not isinstance(timestamp, str) or not TIMESTAMP.fullmatch(timestamp):
        raise Refused("timestamp_malformed")
    message = timestamp.encode() + b"." + body
    return {"header": "t=" + timestamp + "".join(",v1=" + hmac_sha256(key, message).hex() for key in secrets)}


# --------------------------------------------------------------------------------------------------------------------------- cases

def read_json(data):
    """A case file or one line for `judge`."""
    def constant(name):
        raise ValueError(name + " is not JSON")
    return json.loads(data.decode("utf-8"), parse_constant=constant)


def decode(obj, sealed):
    """The bytes of a bytes object (section 11). `length` and `sha256` must be right; only when `sealed` must they be there."""
    def unit(part, *more):
        kinds = [kind for kind in ("utf8", "hex") + more if kind in part]
        if len(kinds) != 1:
            raise BadInput("a bytes object has not exactly one of utf8, hex, parts")
        content = part[kinds[0]]
        if kinds[0] == "utf8":
            return content.encode("utf-8")
        if kinds[0] == "hex":  # bytes.fromhex alone would skip white space and take upper case
            if not HEX_BYTES.fullmatch(content):
                raise BadInput("hex is not pairs of lower-case digits")
            return bytes.fromhex(content)
        for times in (entry.get("times", 1) for entry in content):
            if type(times) is not int or times < 0:
                raise BadInput("times is not a count")
        return b"".join(unit(entry) * entry.get("times", 1) for entry in content)

    data = unit(obj, "parts")
    if (sealed or "length" in obj) and obj.get("length") != len(data):
        raise BadInput("length is %r, not %d" % (obj.get("length"), len(data)))
    if (sealed or "sha256" in obj) and obj.get("sha256") != hashlib.sha256(data).hexdigest():
        raise BadInput("sha256 is %r, not %s" % (obj.get("sha256"), hashlib.sha256(data).hexdigest()))
    return data


def check_header(given, headers):
    """`header` must be the joined value, and may be left out only when it is not printable ASCII or is long (section 11)."""
    joined = join_lines(headers, SIGNATURE_HEADER)
    if "header" in given:
        if given["header"] != joined:
            raise BadInput("header is not the join of headers")
    elif joined is None or (len(joined) <= 8192 and re.fullmatch("[ -~]*", joined)):
        raise BadInput("header is left out without need")


def run(op, given, sealed=False):
    """The outcome of one case, in the form of `expect`. What is wrong with the input itself raises an exception."""
    def body():
        return b"" if given["body"] is None else decode(given["body"], sealed)

    def secrets():
        return [decode(secret, sealed) for secret in given["secrets"]]

    try:
        if op == "verify":
            headers = [(name, decode(value, sealed)) for name, value in given["headers"]]
            if sealed:
                check_header(given, headers)
            if not NOW.fullmatch(given["now"]):
                raise BadInput("now is not a decimal number")
            limit = (given.get("limits") or {}).get("maxBodyBytes")
            output = verify(headers, body(), secrets(), given["now"], given.get("tolerance"), limit)
        elif op == "sign":
            output = sign(secrets(), body(), given["timestamp"])
        elif op == "mac":
            output = {"mac": hmac_sha256(decode(given["key"], sealed), decode(given["message"], sealed)).hex()}
        else:
            raise BadInput("unknown op %r" % (op,))
    except Refused as refusal:
        return {"result": "invalid", "reason": str(refusal)}
    return {"result": "valid", "output": output}


def crash(error):
    return {"result": "crash", "error": "%s: %s" % (type(error).__name__, error)}


def exact(outcome):
    """A text that is equal for equal outcomes only; in Python itself 1 == True == 1.0."""
    return json.dumps(outcome, sort_keys=True)


def disagreement(case, made):
    """None when the case passes, else (expected, got). `made` remembers the answer given for each choice."""
    expect, started = case["expect"], time.perf_counter()
    try:
        got = run(case["op"], case["input"], sealed=True)
    except Exception as error:  # also a crash is only a failed case
        got = crash(error)
    spent = (time.perf_counter() - started) * 1000
    if "budgetMs" in case and spent > case["budgetMs"]:
        return "an answer in %d ms" % case["budgetMs"], "%d ms" % spent
    allowed = expect["oneOf"] if expect["result"] == "acceptable" else [expect]
    if exact(got) not in map(exact, allowed):
        return exact(expect), exact(got)
    if expect["result"] == "acceptable":
        answer = got.get("reason", got["result"])
        before = made.setdefault(expect["choice"], answer)
        if answer != before:
            return "%s as before: %s" % (expect["choice"], before), answer
    return None


def check(folder):
    """Run all cases; 0 when all agree, 1 when some do not, 2 when a file cannot be read."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".json")
        files = [(path, read_json(path.read_bytes())) for path in paths]
        for path, file in files:
            if file["schemaVersion"] != 1 or file["profile"] != "paymos" or file["numberOfCases"] != len(file["cases"]):
                raise BadInput("%s is of another schema or profile, or not complete" % path)
        if not files:
            raise BadInput("no case files in %s" % folder)
    except Exception as error:
        print("cannot read the cases: %s" % error, file=sys.stderr)
        return 2
    passed = failed = 0
    made = {}
    for case in (case for _, file in files for case in file["cases"]):
        unknown = sorted(set(case["requires"]) - CAPABILITIES)
        if unknown or case["op"] not in ("verify", "sign", "mac"):
            print("%s: %s: skipped, op %s, unknown capabilities %s" % (case["id"], case["title"], case["op"], unknown))
            continue
        problem = disagreement(case, made)
        if problem is None:
            passed += 1
        else:
            failed += 1
            print("%s: %s: expected %s, got %s" % (case["id"], case["title"], *problem))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


def judge():
    """One outcome line for every line that is not empty; nothing a line contains ends the process."""
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            case = read_json(line)
            outcome = run(case["op"], case["input"])
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
    return check(options.dir) if options.command == "check" else judge()


if __name__ == "__main__":
    sys.exit(main())
