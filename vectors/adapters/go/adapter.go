// The protocol loop: one JSON line in, one JSON line out. It turns messages into calls of the verifier and judges nothing itself.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"os"
	"runtime"
	"strconv"
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
		Now, Timestamp     string
		Tolerance          *int64
		Limits             struct{ MaxBodyBytes *int }
	}
}

func run(r request) (output any, err error) {
	provider, known := providers[r.Profile]
	in, header, maxBody := r.Input, http.Header{}, hookproof.MaxBody
	switch {
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
		if in.Limits.MaxBodyBytes != nil {
			maxBody = *in.Limits.MaxBodyBytes
		}
		now, err := strconv.ParseFloat(in.Now, 64)
		if err != nil {
			return nil, err
		}
		return hookproof.Verify(provider, header, in.Body, in.Secrets, time.Unix(int64(math.Floor(now)), 0), in.Tolerance, maxBody)
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
			"choices": members{"HexCase": "valid", "IntegralFloat": "valid", "LargeVersion": "valid", "DuplicateJsonKey": "valid",
				"DeepNesting": "valid"},
		}
	}
	if r.Cmd != "run" {
		return members{"error": members{"message": "unknown cmd"}}
	}
	output, err := run(r)
	var refused hookproof.Refused
	if errors.As(err, &refused) {
		return members{"result": "invalid", "reason": refused}
	}
	if err != nil {
		return members{"error": members{"message": err.Error()}}
	}
	return members{"result": "valid", "output": output}
}

func main() {
	lines, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout) // Encode writes a line at once, nothing is left to flush
	lines.Buffer(nil, 32<<20+1)
	for lines.Scan() {
		var r request
		reply := members{}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			reply["error"] = members{"message": err.Error()}
		} else if r.Cmd == "bye" {
			return
		} else {
			reply = answer(r)
		}
		reply["p"], reply["seq"] = r.P, r.Seq
		if out.Encode(reply) != nil {
			os.Exit(1)
		}
	}
}
