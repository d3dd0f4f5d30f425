// Package hookproof verifies signed webhooks by the rules of SPEC.md, whose numbers the comments cite.
// This file does Paymos alone; providers.go adds Stripe and GitHub and can be left out.
package hookproof

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxBody is the default limit of a body in bytes. Limit the reading as well, with http.MaxBytesReader.
const MaxBody, maxSafe = 1 << 20, 1<<53 - 1

// families has the prefix of an event type, kind and member of its resource, and the known types with that prefix (section 7).
var families = [][4]string{
	{"invoice.", "invoice", "invoice_id", "awaiting_payment confirming underpaid_waiting paid paid_over underpaid expired cancelled"},
	{"withdrawal.", "withdrawal", "withdrawal_id", "created processing completed failed cancelled"},
	{"payment_channel.deposit.", "payment_channel_deposit", "id", "confirming reorged confirmed"},
}

var timestamp = regexp.MustCompile(`^(0|[1-9][0-9]{0,11})$`)

// Refused is one of the reasons of section 9. Inside the package it travels by panic, to keep one check on one line.
type Refused string

func (r Refused) Error() string { return string(r) }

func refuse(failed bool, reason Refused) {
	if failed {
		panic(reason)
	}
}

// catch makes a Refused an error.
func catch(err *error) {
	switch failure := recover().(type) {
	case nil:
	case Refused:
		*err = failure
	default:
		panic(failure)
	}
}

// Provider is one scheme: its signature header, whether a time is signed, how the header is read, and the facts of the body.
type Provider struct {
	header string
	timed  bool
	read   func(value string) (t string, signatures [][]byte)
	event  func(envelope object, header http.Header) (Event, []string)
}

// Paymos is the scheme of SPEC.md.
var Paymos = Provider{"X-Webhook-Signature", true, readTimed, paymosEvent}

// Delivery is what an accepted delivery says (section 7).
type Delivery struct {
	Timestamp string         `json:"timestamp,omitempty"`
	Matched   map[string]int `json:"matched"`
	Warnings  []string       `json:"warnings"`
	Event     Event          `json:"event"`
}

// Event has the facts of the body. Nil or zero is what the provider or this delivery does not say.
type Event struct {
	ID         string            `json:"id,omitempty"`
	Type       string            `json:"type"`
	IDSigned   *bool             `json:"idSigned,omitempty"`
	Known      *bool             `json:"known,omitempty"`
	Version    int64             `json:"version,omitempty,string"`
	OccurredAt *int64            `json:"occurredAt,omitempty,string"`
	Resource   map[string]string `json:"resource,omitempty"`
}

// Verify judges one delivery in the order of section 2; its error is a Refused. The body is the bytes as received, the tolerance is
// in seconds, nil for the default of the provider.
func Verify(p Provider, header http.Header, body []byte, secrets [][]byte, now time.Time, tolerance *int64, maxBody int) (accepted Delivery, err error) {
	defer catch(&err)
	checkSecrets(secrets)
	refuse(tolerance != nil && (*tolerance < 0 || !p.timed), "tolerance_invalid")
	value := strings.Join(header.Values(p.header), ", ")
	refuse(strings.Trim(value, " \t") == "", "header_missing")
	t, signatures := p.read(value)
	if p.timed {
		limit := int64(300)
		if tolerance != nil {
			limit = *tolerance
		}
		signedAt, _ := strconv.ParseInt(t, 10, 64) // 12 digits at most
		refuse(now.Unix()-signedAt > limit, "timestamp_too_old")
		refuse(signedAt-now.Unix() > limit, "timestamp_too_new")
	}
	refuse(len(body) > maxBody, "body_too_large")
	message, matched := signedText(t, body), map[string]int(nil)
	for secret, key := range secrets { // every secret meets every signature, without an early exit
		mac := MAC(key, message)
		for signature, given := range signatures {
			if hmac.Equal(mac, given) && matched == nil {
				matched = map[string]int{"secret": secret, "signature": signature}
			}
		}
	}
	refuse(matched == nil, "signature_mismatch")
	refuse(!utf8.Valid(body), "body_not_utf8")
	refuse(!json.Valid(body), "body_not_json")
	envelope := asObject(body)
	refuse(envelope == nil, "envelope_not_object")
	event, warnings := p.event(envelope, header)
	return Delivery{t, matched, warnings, event}, nil
}

// Sign is the signature header of a sender (section 10); t is not looked at where no time is signed.
func Sign(p Provider, body []byte, secrets [][]byte, t string) (header string, err error) {
	defer catch(&err)
	checkSecrets(secrets)
	if !p.timed {
		refuse(len(secrets) > 1, "secret_invalid")
		return "sha256=" + hex.EncodeToString(MAC(secrets[0], body)), nil
	}
	refuse(!timestamp.MatchString(t), "timestamp_malformed")
	header = "t=" + t
	for _, key := range secrets {
		header += ",v1=" + hex.EncodeToString(MAC(key, signedText(t, body)))
	}
	return header, nil
}

// MAC is HMAC-SHA256.
func MAC(key, message []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	return mac.Sum(nil)
}

// signedText is the body behind the header's own text of the time, where one is signed (D3).
func signedText(t string, body []byte) []byte {
	if t == "" {
		return body
	}
	return append([]byte(t+"."), body...)
}

func checkSecrets(secrets [][]byte) {
	refuse(len(secrets) == 0, "secret_missing")
	for _, key := range secrets {
		refuse(len(key) == 0, "secret_missing")
	}
}

// readTimed is steps 4 to 10, the grammar of section 3. A Go string is bytes, as the characters of a header are.
func readTimed(value string) (string, [][]byte) {
	refuse(len(value) > 4096, "header_too_long")
	var times, texts []string
	for _, element := range strings.Split(value, ",") {
		key, text, _ := strings.Cut(strings.Trim(element, " \t"), "=")
		if key == "t" {
			times = append(times, text)
		} else if key == "v1" && text != "" {
			texts = append(texts, text)
		}
	}
	refuse(len(times) == 0, "timestamp_missing")
	refuse(len(times) > 1, "timestamp_duplicate")
	refuse(!timestamp.MatchString(times[0]), "timestamp_malformed")
	refuse(len(texts) == 0, "signature_missing")
	refuse(len(texts) > 16, "signatures_too_many")
	var signatures [][]byte
	for _, text := range texts {
		if mac, err := hex.DecodeString(text); err == nil && len(mac) == sha256.Size {
			signatures = append(signatures, mac)
		}
	}
	refuse(len(signatures) == 0, "signature_malformed")
	return times[0], signatures
}

// object keeps values as they are written: their size and depth do not matter, names are exact, and of two equal names the last stays.
type object map[string]json.RawMessage

// asObject is nil when the JSON is no object.
func asObject(raw []byte) (o object) {
	_ = json.Unmarshal(raw, &o)
	return o
}

// asText is empty when the JSON is absent, no string, or blank (section 6).
func asText(raw json.RawMessage) (text string) {
	if json.Unmarshal(raw, &text) != nil || strings.Trim(text, "\t\n\v\f\r \u00a0") == "" {
		return ""
	}
	return text
}

func (o object) field(name, firstBytes string) json.RawMessage {
	raw, found := o[name]
	refuse(!found, "envelope_field_missing")
	refuse(!strings.Contains(firstBytes, string(raw[:1])), "envelope_field_type")
	return raw
}

func (o object) text(name string) string {
	text := asText(o.field(name, `"`))
	refuse(text == "", "envelope_field_value")
	return text
}

// integer takes 1.0 and 1e0 as well; ParseFloat gives an infinity for what no double holds.
func (o object) integer(name string, least float64) int64 {
	number, _ := strconv.ParseFloat(string(o.field(name, "-0123456789")), 64)
	refuse(math.Trunc(number) != number, "envelope_field_type")
	refuse(number < least || number > maxSafe, "envelope_field_value")
	return int64(number)
}

// paymosEvent is step 18 and section 7.
func paymosEvent(envelope object, header http.Header) (e Event, warnings []string) {
	e.ID, e.Type = envelope.text("event_id"), envelope.text("event_type")
	e.Version = envelope.integer("version", 1)
	occurredAt, known := envelope.integer("occurred_at", 0), false
	data := asObject(envelope.field("data", "{"))
	for _, family := range families {
		for _, state := range strings.Fields(family[3]) {
			known = known || e.Type == family[0]+state
		}
		if id := asText(data[family[2]]); id != "" && strings.HasPrefix(e.Type, family[0]) {
			e.Resource = map[string]string{"kind": family[1], "id": id}
		}
	}
	e.OccurredAt, e.Known = &occurredAt, &known
	if id, found := headerText(header, "X-Webhook-Id"); found && strings.Trim(id, " \t") != e.ID {
		return e, []string{"delivery_id_mismatch"}
	}
	return e, []string{}
}

// headerText is the joined value of a header, one character for each byte.
func headerText(header http.Header, name string) (text string, found bool) {
	lines := header.Values(name)
	characters := []rune{}
	for _, b := range []byte(strings.Join(lines, ", ")) {
		characters = append(characters, rune(b))
	}
	return string(characters), len(lines) > 0
}
