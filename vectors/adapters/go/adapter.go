// The protocol loop: one JSON line in, one JSON line out. It turns messages into calls of the verifier and judges nothing itself.
package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"runtime"
	"time"

	"hookproof.example/adapter/hookproof"
)

type members map[string]any

var providers = map[string]hookproof.Provider{"paymos": hookproof.Paymos, "stripe": hookproof.Stripe, "github": hookproof.GitHub}

// request is one message of the runner. encoding/json decodes base64 where it finds []byte.
type request struct {
	P, Seq           json.RawMessage
	Cmd, Profile, Op string
	Input            struct {
		Headers            [][2]string
		Body, Key, Message []byte
		Secrets            [][]byte
		Timestamp          string
		Now                float64 `json:",string"`
		Tolerance          *int64
		Limits             struct{ MaxBodyBytes int }
	}
}

func run(r request) (output any, err error) {
	provider, known := providers[r.Profile]
	in, header := r.Input, http.Header{}
	switch {
	case r.Cmd != "run":
		return nil, errors.New("unknown cmd")
	case r.Op == "mac":
		return members{"mac": hex.EncodeToString(hookproof.MAC(in.Key, in.Message))}, nil
	case known && r.Op == "sign":
		value, err := hookproof.Sign(provider, in.Body, in.Secrets, in.Timestamp)
		return members{"header": value}, err
	case known && r.Op == "verify":
		for _, line := range in.Headers {
			value, err := base64.StdEncoding.DecodeString(line[1])
			if err != nil {
				return nil, err
			}
			header.Add(line[0], string(value))
		}
		now := time.Unix(int64(math.Floor(in.Now)), 0)
		return hookproof.Verify(provider, header, in.Body, in.Secrets, now, in.Tolerance, in.Limits.MaxBodyBytes)
	}
	return nil, errors.New("unknown profile or op")
}

func answer(r request) members {
	if r.Cmd == "hello" {
		return members{
			"implementation": members{"name": "hookproof-go", "version": "1.0.0", "language": "go", "runtime": runtime.Version()},
			"profiles":       []string{"paymos", "stripe", "github"},
			"ops":            []string{"verify", "sign", "mac"},
			"capabilities": []string{"sign", "mac", "tolerance", "multi-secret", "secret-bytes", "header-lines", "header-bytes",
				"raw-body", "limits", "timestamp-text", "envelope", "matched"},
			"choices": members{"HexCase": "valid", "IntegralFloat": "valid", "LargeVersion": "valid", "DuplicateJsonKey": "valid", "DeepNesting": "valid"},
		}
	}
	output, err := run(r)
	if refused, is := err.(hookproof.Refused); is {
		return members{"result": "invalid", "reason": refused}
	} else if err != nil {
		return members{"error": members{"message": err.Error()}}
	}
	return members{"result": "valid", "output": output}
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout) // Encode writes a line at once, nothing is left to flush
	for {
		var r request
		r.Input.Limits.MaxBodyBytes = hookproof.MaxBody
		if err := in.Decode(&r); err == io.EOF || r.Cmd == "bye" {
			return
		} else if err != nil {
			log.Fatal(err) // the message is wrong, not the delivery
		}
		reply := answer(r)
		reply["p"], reply["seq"] = r.P, r.Seq
		if err := out.Encode(reply); err != nil {
			log.Fatal(err)
		}
	}
}
