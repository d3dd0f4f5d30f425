"""Answers the conformance runner: JSON Lines on standard input and output."""
import json, platform, sys
from base64 import b64decode
from decimal import Decimal

from hookproof import PAYMOS, Refused, mac, sign, verify
from providers import GITHUB, STRIPE, sign_github

SCHEMES = {"paymos": PAYMOS, "stripe": STRIPE, "github": GITHUB}
CHOICES = ("HexCase", "IntegralFloat", "LargeVersion", "DuplicateJsonKey", "DeepNesting")
HELLO = {
    "implementation": {"name": "hookproof-python", "version": "1.0.0", "language": "python",
                       "runtime": platform.python_implementation() + " " + platform.python_version()},
    "profiles": list(SCHEMES), "ops": ["verify", "sign", "mac"], "choices": dict.fromkeys(CHOICES, "valid"),
    "capabilities": "sign mac tolerance limits multi-secret secret-bytes raw-body header-lines header-bytes "
                    "timestamp-text envelope matched".split(),
}


def run(profile, op, given):
    if op == "mac":
        return {"mac": mac(b64decode(given["key"]), b64decode(given["message"]))}
    body, secrets = b64decode(given["body"] or ""), [b64decode(secret) for secret in given["secrets"]]
    if op == "sign":
        github = profile == "github"
        return {"header": sign_github(secrets, body) if github else sign(secrets, body, given["timestamp"])}
    headers = [(name, b64decode(value)) for name, value in given["headers"]]
    limit = given.get("limits", {}).get("maxBodyBytes", 1048576)
    return verify(headers, body, secrets, Decimal(given["now"]), given["tolerance"], limit, SCHEMES[profile])


def answer(message):
    try:
        if message["cmd"] == "hello":
            return HELLO
        if message["cmd"] == "run":
            return {"result": "valid", "output": run(message["profile"], message["op"], message["input"])}
        return {"error": {"message": "unknown cmd"}}
    except Refused as refused:
        return {"result": "invalid", "reason": str(refused)}
    except Exception as error:
        return {"error": {"message": repr(error)}}


for line in sys.stdin.buffer:
    message = json.loads(line)
    if message["cmd"] == "bye":
        break
    print(json.dumps({"p": 1, "seq": message["seq"], **answer(message)}), flush=True)
