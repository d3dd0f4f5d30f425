//! Stripe by spec/stripe.md, GitHub by spec/github.md.

use crate::hookproof::{
    header, latin1, object, read_timed, refuse, text, text_field, unhex, Facts, Headers, Object, Provider, Reason, Signed, MAX_SAFE,
};
use serde_json::{json, value::RawValue};

pub const STRIPE: Provider = Provider { header: "stripe-signature", timed: true, read: read_timed, event: stripe_event };
pub const GITHUB: Provider = Provider { header: "x-hub-signature-256", timed: false, read: read_hub, event: github_event };

/// S12 and S13.
fn stripe_event(envelope: &Object, _: &Headers) -> Result<Facts, Reason> {
    let get = |name: &str| envelope.get(name).copied();
    let mut event = json!({ "id": text_field(envelope, "id")?, "type": text_field(envelope, "type")?, "idSigned": true });
    if let Some(seconds) = get("created").and_then(moment) {
        event["occurredAt"] = json!(seconds.to_string());
    }
    let (subject, name) = match get("data").and_then(|raw| object(raw.get())) {
        Some(data) => (data.get("object").copied(), "object"),
        None => (get("related_object"), "type"),
    };
    let subject = subject.and_then(|raw| object(raw.get())).unwrap_or_default();
    let member = |name: &str| subject.get(name).and_then(|raw| text(raw));
    if let (Some(kind), Some(id)) = (member(name), member("id")) {
        event["resource"] = json!({ "kind": kind, "id": id });
    }
    Ok((event, vec![]))
}

/// A time as whole seconds or as RFC 3339 text; `None` for anything else and before 1970.
fn moment(raw: &RawValue) -> Option<i64> {
    let seconds = match text(raw) {
        Some(text) => rfc3339(&text)? as f64,
        None => raw.get().parse().ok()?,
    };
    (seconds.fract() == 0.0 && (0.0..=MAX_SAFE).contains(&seconds)).then_some(seconds as i64)
}

/// `YYYY-MM-DDThh:mm:ss[.fraction]` with `Z` or `±hh:mm`, the fraction dropped.
fn rfc3339(text: &str) -> Option<i64> {
    let (time, zone) = text.split_at_checked(19)?;
    let end = zone.find(['Z', '+', '-'])?;
    let (fraction, offset) = (&zone[..end], &zone[end..]);
    let digits = fraction.strip_prefix('.').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    let [year, month, day, hour, minute, second] = numbers(time, "dddd-dd-ddTdd:dd:dd")?;
    let shift = match offset.split_at(1) {
        ("Z", "") => 0,
        (sign, hours) if sign != "Z" => {
            let [hour, minute] = numbers(hours, "dd:dd")?;
            (hour * 60 + minute) * if sign == "-" { -60 } else { 60 }
        }
        _ => return None,
    };
    let real = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60;
    // Days since 1970 of a year that begins in March, so that the leap day is its last.
    let (years, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * years + years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400) + (153 * months + 2) / 5 + day - 719_469;
    ((fraction.is_empty() || digits) && real).then_some(days * 86_400 + hour * 3_600 + minute * 60 + second - shift)
}

/// The numbers of a text that has a digit for every `d` of the form and the same character for every other one.
fn numbers<const N: usize>(text: &str, form: &str) -> Option<[i64; N]> {
    let fits = text.len() == form.len() && text.bytes().zip(form.bytes()).all(|(a, b)| if b == b'd' { a.is_ascii_digit() } else { a == b });
    let found: Vec<i64> = text.split(['-', 'T', ':']).filter_map(|part| part.parse().ok()).collect();
    found.try_into().ok().filter(|_| fits)
}

/// G2 and G3.
fn read_hub(value: &[u8]) -> Result<Signed, Reason> {
    let digits = value.strip_prefix(b"sha256=").ok_or("header_malformed")?;
    refuse(digits.iter().any(u8::is_ascii_uppercase), "signature_malformed")?;
    Ok(Signed { timestamp: String::new(), signatures: vec![unhex(digits).ok_or("signature_malformed")?] })
}

/// G10: both facts are of headers that nobody signed.
fn github_event(_: &Object, headers: &Headers) -> Result<Facts, Reason> {
    let fact = |name| header(headers, name).map(|value| latin1(&value)).unwrap_or_default();
    let mut event = json!({ "type": fact("x-github-event"), "idSigned": false });
    let id = fact("x-github-delivery");
    if !id.is_empty() {
        event["id"] = json!(id);
    }
    Ok((event, vec![]))
}
