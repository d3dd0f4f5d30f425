//! Verifies signed webhooks by the rules of SPEC.md, whose numbers the comments cite. This file does Paymos alone; providers.rs adds
//! Stripe and GitHub and can be left out. Packages: hmac, sha2, subtle, serde_json (feature raw_value), serde_bytes, hex.

use hmac::{Hmac, KeyInit, Mac};
use serde_bytes::ByteBuf;
use serde_json::{json, value::RawValue, Value};
use sha2::Sha256;
use std::collections::HashMap;
use subtle::ConstantTimeEq;

/// Why a delivery is refused, or what is wrong with the configuration: a name of section 9.
pub type Reason = &'static str;
/// The event of an accepted delivery, and warnings.
pub type Facts = (Value, Vec<&'static str>);
/// The header lines in the order of the wire.
pub type Headers = [(String, Vec<u8>)];
/// Values stay as they are written, so that no size or depth matters (D16); of two equal names the last stays.
pub type Object<'a> = HashMap<String, &'a RawValue>;

/// The default limit of a body in bytes.
pub const MAX_BODY: usize = 1_048_576;
pub const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// One scheme: its signature header, whether a time is signed, how the header is read, and the facts of the body with warnings.
pub struct Provider {
    pub header: &'static str,
    pub timed: bool,
    pub read: fn(&[u8]) -> Result<Signed, Reason>,
    pub event: fn(&Object, &Headers) -> Result<Facts, Reason>,
}

/// The scheme of SPEC.md.
pub const PAYMOS: Provider = Provider { header: "x-webhook-signature", timed: true, read: read_timed, event: paymos_event };

/// What a signature header says: the text of the time, empty where none is signed, and the well-formed signatures.
pub struct Signed {
    pub timestamp: String,
    pub signatures: Vec<Vec<u8>>,
}

pub fn refuse(failed: bool, reason: Reason) -> Result<(), Reason> {
    if failed {
        Err(reason)
    } else {
        Ok(())
    }
}

/// Judges one delivery in the order of section 2 and returns the output of section 7. `body` is the bytes as received, `now` unix seconds
/// rounded down, `tolerance` seconds or the provider's default.
pub fn verify(
    provider: &Provider,
    headers: &Headers,
    body: &[u8],
    secrets: &[Vec<u8>],
    now: i64,
    tolerance: Option<i64>,
    max_body: usize,
) -> Result<Value, Reason> {
    check_secrets(secrets)?;
    refuse(tolerance.is_some_and(|seconds| seconds < 0 || !provider.timed), "tolerance_invalid")?;
    let value = header(headers, provider.header).unwrap_or_default();
    refuse(trim(&value).is_empty(), "header_missing")?;
    let Signed { timestamp, signatures } = (provider.read)(&value)?;
    if provider.timed {
        let age = now - timestamp.parse::<i64>().map_err(|_| "timestamp_malformed")?;
        refuse(age > tolerance.unwrap_or(300), "timestamp_too_old")?;
        refuse(-age > tolerance.unwrap_or(300), "timestamp_too_new")?;
    }
    refuse(body.len() > max_body, "body_too_large")?;
    let mut matched = None;
    for (secret, key) in secrets.iter().enumerate() {
        let mac = signed_mac(key, &timestamp, body); // every secret meets every signature, without an early exit
        for (signature, given) in signatures.iter().enumerate() {
            let equal = bool::from(mac.ct_eq(given));
            if equal && matched.is_none() {
                matched = Some(json!({ "secret": secret, "signature": signature }));
            }
        }
    }
    refuse(matched.is_none(), "signature_mismatch")?;
    let text = std::str::from_utf8(body).map_err(|_| "body_not_utf8")?;
    serde_json::from_str::<&RawValue>(text).map_err(|_| "body_not_json")?;
    let (event, warnings) = (provider.event)(&object(text).ok_or("envelope_not_object")?, headers)?;
    let mut output = json!({ "matched": matched, "warnings": warnings, "event": event });
    if provider.timed {
        output["timestamp"] = json!(timestamp);
    }
    Ok(output)
}

/// The signature header of a sender (section 10).
pub fn sign(provider: &Provider, body: &[u8], secrets: &[Vec<u8>], timestamp: &str) -> Result<String, Reason> {
    check_secrets(secrets)?;
    if !provider.timed {
        refuse(secrets.len() > 1, "secret_invalid")?;
        return Ok(format!("sha256={}", hex::encode(mac(&secrets[0], &[body]))));
    }
    refuse(!is_timestamp(timestamp.as_bytes()), "timestamp_malformed")?;
    let signatures = secrets.iter().map(|key| format!(",v1={}", hex::encode(signed_mac(key, timestamp, body))));
    Ok(format!("t={timestamp}{}", signatures.collect::<String>()))
}

/// HMAC-SHA256 of the parts of a message.
pub fn mac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let start = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    parts.iter().fold(start, |state, part| state.chain_update(part)).finalize().into_bytes().to_vec()
}

fn signed_mac(key: &[u8], timestamp: &str, body: &[u8]) -> Vec<u8> {
    let dot = if timestamp.is_empty() { "" } else { "." };
    mac(key, &[timestamp.as_bytes(), dot.as_bytes(), body])
}

fn check_secrets(secrets: &[Vec<u8>]) -> Result<(), Reason> {
    refuse(secrets.is_empty() || secrets.iter().any(Vec::is_empty), "secret_missing")
}

/// The lines of a header joined (D5), `None` without one.
pub fn header(headers: &Headers, wanted: &str) -> Option<Vec<u8>> {
    let lines: Vec<_> = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| &value[..]).collect();
    (!lines.is_empty()).then(|| lines.join(&b", "[..]))
}

/// Every byte of a header is one character.
pub fn latin1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

fn is_timestamp(text: &[u8]) -> bool {
    let digits = !text.is_empty() && text.len() <= 12 && text.iter().all(u8::is_ascii_digit);
    digits && (text[0] != b'0' || text.len() == 1)
}

/// Steps 4 to 10, the grammar of section 3.
pub fn read_timed(value: &[u8]) -> Result<Signed, Reason> {
    refuse(value.len() > 4096, "header_too_long")?;
    let (mut times, mut texts) = (vec![], vec![]);
    for element in value.split(|byte| *byte == b',').map(trim) {
        let end = element.iter().position(|byte| *byte == b'=').unwrap_or(element.len());
        let text = element.get(end + 1..).unwrap_or_default();
        match &element[..end] {
            b"t" => times.push(text),
            b"v1" if !text.is_empty() => texts.push(text),
            _ => {}
        }
    }
    refuse(times.is_empty(), "timestamp_missing")?;
    refuse(times.len() > 1, "timestamp_duplicate")?;
    refuse(!is_timestamp(times[0]), "timestamp_malformed")?;
    refuse(texts.is_empty(), "signature_missing")?;
    refuse(texts.len() > 16, "signatures_too_many")?;
    let signatures: Vec<_> = texts.into_iter().filter_map(unhex).collect();
    refuse(signatures.is_empty(), "signature_malformed")?;
    Ok(Signed { timestamp: latin1(times[0]), signatures })
}

/// 32 bytes of exactly 64 hex digits of either case.
pub fn unhex(text: &[u8]) -> Option<Vec<u8>> {
    hex::decode(text).ok().filter(|bytes| bytes.len() == 32)
}

/// `None` when the JSON is no object.
pub fn object(text: &str) -> Option<Object<'_>> {
    let members: HashMap<ByteBuf, &RawValue> = serde_json::from_str(text).ok()?;
    Some(members.into_iter().map(|(name, raw)| (lossy(&name), raw)).collect())
}

/// JSON may escape lone surrogates, for which a `String` has no place: names and texts are read as bytes.
fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `None` when the JSON is no string, or a blank one (section 6).
pub fn text(raw: &RawValue) -> Option<String> {
    let bytes = serde_json::from_str::<ByteBuf>(raw.get()).ok().filter(|_| raw.get().starts_with('"'))?;
    let blank = |c| matches!(c, '\t'..='\r' | ' ' | '\u{a0}');
    Some(lossy(&bytes)).filter(|text| !text.chars().all(blank))
}

fn field<'a>(envelope: &Object<'a>, name: &str, first: fn(u8) -> bool) -> Result<&'a RawValue, Reason> {
    let raw = *envelope.get(name).ok_or("envelope_field_missing")?;
    refuse(!first(raw.get().as_bytes()[0]), "envelope_field_type").map(|()| raw)
}

pub fn text_field(envelope: &Object, name: &str) -> Result<String, Reason> {
    text(field(envelope, name, |byte| byte == b'"')?).ok_or("envelope_field_value")
}

/// The nearest double decides, an infinite one where none is near: `1.0` and `1e0` are integers.
fn integer_field(envelope: &Object, name: &str, least: f64) -> Result<String, Reason> {
    let raw = field(envelope, name, |byte| byte == b'-' || byte.is_ascii_digit())?;
    let number: f64 = raw.get().parse().map_err(|_| "envelope_field_type")?;
    refuse(number.is_finite() && number.fract() != 0.0, "envelope_field_type")?;
    refuse(!(least..=MAX_SAFE).contains(&number), "envelope_field_value")?;
    Ok((number as u64).to_string())
}

/// Step 18 and section 7.
fn paymos_event(envelope: &Object, headers: &Headers) -> Result<Facts, Reason> {
    let families = [
        ("invoice.", "invoice", "invoice_id", "awaiting_payment confirming underpaid_waiting paid paid_over underpaid expired cancelled"),
        ("withdrawal.", "withdrawal", "withdrawal_id", "created processing completed failed cancelled"),
        ("payment_channel.deposit.", "payment_channel_deposit", "id", "confirming reorged confirmed"),
    ];
    let (id, kind) = (text_field(envelope, "event_id")?, text_field(envelope, "event_type")?);
    let (version, occurred_at) = (integer_field(envelope, "version", 1.0)?, integer_field(envelope, "occurred_at", 0.0)?);
    let data = object(field(envelope, "data", |byte| byte == b'{')?.get()).unwrap_or_default();
    let mut event = json!({ "id": id, "type": kind, "known": false, "version": version, "occurredAt": occurred_at });
    for (prefix, resource, member, states) in families {
        if let Some(state) = kind.strip_prefix(prefix) {
            event["known"] = json!(states.split(' ').any(|known| known == state));
            if let Some(id) = data.get(member).and_then(|raw| text(raw)) {
                event["resource"] = json!({ "kind": resource, "id": id });
            }
        }
    }
    let same = header(headers, "x-webhook-id").is_none_or(|value| latin1(trim(&value)) == id);
    Ok((event, if same { vec![] } else { vec!["delivery_id_mismatch"] }))
}
