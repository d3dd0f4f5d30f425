package hookproof

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Stripe is the scheme of spec/stripe.md, GitHub that of spec/github.md.
var (
	Stripe = Provider{"Stripe-Signature", true, readTimed, stripeEvent}
	GitHub = Provider{"X-Hub-Signature-256", false, readHub, gitHubEvent}
)

var (
	hubForm  = regexp.MustCompile(`^[0-9a-f]{64}$`)
	timeForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$`)
)

// stripeEvent is S12 and S13.
func stripeEvent(envelope object, _ http.Header) (Event, []string) {
	idSigned := true
	e := Event{ID: envelope.text("id"), Type: envelope.text("type"), IDSigned: &idSigned, OccurredAt: moment(envelope["created"])}
	kindName, subject := "type", asObject(envelope["related_object"])
	if data := asObject(envelope["data"]); data != nil {
		kindName, subject = "object", asObject(data["object"])
	}
	if kind, id := asText(subject[kindName]), asText(subject["id"]); kind != "" && id != "" {
		e.Resource = map[string]string{"kind": kind, "id": id}
	}
	return e, []string{}
}

// moment is a time as whole seconds or as RFC 3339 text, nil for anything else and before 1970.
func moment(raw json.RawMessage) *int64 {
	number, err := strconv.ParseFloat(string(raw), 64)
	if text := asText(raw); timeForm.MatchString(text) {
		var at time.Time
		at, err = time.Parse(time.RFC3339, text)
		number = float64(at.Unix())
	}
	if err != nil || number < 0 || number > maxSafe || number != math.Trunc(number) {
		return nil
	}
	seconds := int64(number)
	return &seconds
}

// readHub is G2 and G3.
func readHub(value string) (string, [][]byte) {
	refuse(!strings.HasPrefix(value, "sha256="), "header_malformed")
	refuse(!hubForm.MatchString(value[7:]), "signature_malformed")
	signature, _ := hex.DecodeString(value[7:])
	return "", [][]byte{signature}
}

// gitHubEvent is G10: both facts are of headers that nobody signed.
func gitHubEvent(_ object, header http.Header) (e Event, warnings []string) {
	e.ID, _ = headerText(header, "X-GitHub-Delivery")
	e.Type, _ = headerText(header, "X-GitHub-Event")
	e.IDSigned = new(bool)
	return e, []string{}
}
