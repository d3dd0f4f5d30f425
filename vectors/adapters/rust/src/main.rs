//! The protocol loop: one JSON line in, one JSON line out. It turns messages into calls of the verifier and judges nothing itself.

mod hookproof;
mod providers;

use base64::{engine::general_purpose::STANDARD, Engine};
use serde_json::{json, Value};
use std::io::{self, BufRead, Write};

/// What goes wrong with a message, as opposed to a delivery.
type Trouble = String;

fn bytes(value: &Value) -> Result<Vec<u8>, Trouble> {
    STANDARD.decode(value.as_str().unwrap_or_default()).map_err(|error| error.to_string())
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> Result<T, Trouble>) -> Result<Vec<T>, Trouble> {
    value.as_array().ok_or("a list is missing")?.iter().map(read).collect()
}

fn run(message: &Value) -> Result<Result<Value, hookproof::Reason>, Trouble> {
    let (input, op) = (&message["input"], &message["op"]);
    if op == "mac" {
        let mac = hookproof::mac(&bytes(&input["key"])?, &[&bytes(&input["message"])?]);
        return Ok(Ok(json!({ "mac": hex::encode(mac) })));
    }
    let provider = match message["profile"].as_str() {
        Some("paymos") => hookproof::PAYMOS,
        Some("stripe") => providers::STRIPE,
        Some("github") => providers::GITHUB,
        _ => return Err("unknown profile".into()),
    };
    let (body, secrets) = (bytes(&input["body"])?, list(&input["secrets"], bytes)?);
    if op == "sign" {
        let timestamp = input["timestamp"].as_str().unwrap_or_default();
        return Ok(hookproof::sign(&provider, &body, &secrets, timestamp).map(|header| json!({ "header": header })));
    }
    let headers = list(&input["headers"], |line| Ok((line[0].as_str().unwrap_or_default().into(), bytes(&line[1])?)))?;
    let now: f64 = input["now"].as_str().and_then(|now| now.parse().ok()).ok_or("now is no number")?;
    let max_body = input["limits"]["maxBodyBytes"].as_u64().map_or(hookproof::MAX_BODY, |limit| limit as usize);
    let tolerance = input["tolerance"].as_i64();
    Ok(hookproof::verify(&provider, &headers, &body, &secrets, now.floor() as i64, tolerance, max_body))
}

fn answer(message: &Value) -> Value {
    match message["cmd"].as_str() {
        Some("hello") => json!({
            "implementation": { "name": "hookproof-rust", "version": env!("CARGO_PKG_VERSION"), "language": "rust" },
            "profiles": ["paymos", "stripe", "github"],
            "ops": ["verify", "sign", "mac"],
            "capabilities": ["sign", "mac", "tolerance", "multi-secret", "secret-bytes", "header-lines", "header-bytes", "raw-body",
                "limits", "timestamp-text", "envelope", "matched"],
            "choices": { "HexCase": "valid", "IntegralFloat": "valid", "LargeVersion": "valid", "DuplicateJsonKey": "valid",
                "DeepNesting": "valid" },
        }),
        Some("run") => match run(message) {
            Ok(Ok(output)) => json!({ "result": "valid", "output": output }),
            Ok(Err(reason)) => json!({ "result": "invalid", "reason": reason }),
            Err(trouble) => json!({ "error": { "message": trouble } }),
        },
        _ => json!({ "error": { "message": "unknown cmd" } }),
    }
}

fn main() -> io::Result<()> {
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        if message["cmd"] == "bye" {
            break;
        }
        let mut reply = answer(&message);
        (reply["p"], reply["seq"]) = (message["p"].clone(), message["seq"].clone());
        writeln!(out, "{reply}")?;
        out.flush()?;
    }
    Ok(())
}
