# Verifies signed webhooks up to the signature, by the rules of ../../SPEC.md, ../../spec/stripe.md and
# ../../spec/github.md. POSIX sh, its tools and openssl. Source this file with $work set to a private,
# empty directory. Bytes stand in files, as a variable cannot hold NUL; keys are never an argument of
# a program, where other users could read them.
LC_ALL=C
export LC_ALL
[ $((2147483647 + 1)) -gt 0 ] || { echo 'the numbers of this shell have 32 bits' >&2; exit 1; }
newline='
' blank=$(printf '\t ')

refuse() { # reason: ends the subshell that verify and sign are
  echo "invalid $1"
  exit 1
}

# The lines of a header joined with ", " (D5). In $1 a line with a name and a line with base64 take turns.
join_lines() { # file name-in-lower-case
  awk -v wanted="$2" 'NR % 2 { mine = tolower($0) == wanted; next } mine' "$1" >"$work/lines"
  line=0
  while [ "$line" -lt "$(($(wc -l <"$work/lines")))" ]; do
    [ "$line" -eq 0 ] || printf ', '
    line=$((line + 1))
    sed -n "${line}p" "$work/lines" | base64 -d
  done
}

# HMAC-SHA256 (RFC 2104) of standard input in hex, from two digests: `openssl dgst -hmac` and
# `openssl mac` want the key as an argument.
hmac() ( # key-file
  key=$1
  bytes=$(od -An -v -tx1 <"$key") || exit 1 # half a key, or none, would be another key
  set -- $bytes
  if [ $# -gt 64 ]; then
    set -- $(openssl dgst -sha256 -binary <"$key" | od -An -v -tx1)
    [ $# -eq 32 ] || exit 1
  fi
  inner='' outer='' count=0
  while [ "$count" -lt 64 ]; do
    i=$((0x${1:-00} ^ 0x36)) o=$((0x${1:-00} ^ 0x5c)) count=$((count + 1))
    inner="$inner\\$((i >> 6))$((i >> 3 & 7))$((i & 7))"
    outer="$outer\\$((o >> 6))$((o >> 3 & 7))$((o & 7))"
    [ $# -eq 0 ] || shift
  done
  { printf "$inner" && cat; } | openssl dgst -sha256 -binary |
    { printf "$outer" && cat; } | openssl dgst -sha256 -r | cut -c 1-64
)

# Lines of 64 hex digits as eight numbers each, and whether two such lines are one MAC: every number
# is looked at, and an error is no match.
numbers() { sed 's/.\{8\}/0x& /g'; }
same() {
  [ $# -eq 16 ] && [ $((($1 ^ $9) | ($2 ^ ${10}) | ($3 ^ ${11}) | ($4 ^ ${12}) | \
    ($5 ^ ${13}) | ($6 ^ ${14}) | ($7 ^ ${15}) | ($8 ^ ${16}))) -eq 0 ]
}

check_secrets() { # secret-file...
  [ $# -gt 0 ] || refuse secret_missing
  for secret; do [ -r "$secret" ] && [ -s "$secret" ] || refuse secret_missing; done
}

check_time() { # text
  case $1 in 0) ;; '' | 0* | *[!0-9]*) refuse timestamp_malformed ;; esac
  [ ${#1} -le 12 ] || refuse timestamp_malformed
}

read_timed() { # sets time and signatures from value, a header t=…,v1=…
  [ ${#value} -le 4096 ] || refuse header_too_long
  elements=$(printf '%s\n' "$value" | tr ',' '\n' | sed 's/^[[:blank:]]*//; s/[[:blank:]]*$//')
  time=$(printf '%s\n' "$elements" | sed -n 's/^t$/t=/; /^t=/p')
  case $time in '') refuse timestamp_missing ;; *"$newline"*) refuse timestamp_duplicate ;; esac
  time=${time#t=}
  check_time "$time"
  signatures=$(printf '%s\n' "$elements" | sed -n 's/^v1=\(.\)/\1/p')
  [ -n "$signatures" ] || refuse signature_missing
  [ "$(printf '%s\n' "$signatures" | wc -l)" -le 16 ] || refuse signatures_too_many
  signatures=$(printf '%s\n' "$signatures" | grep -xE '[0-9A-Fa-f]{64}') || refuse signature_malformed
}

read_hub() { # sets signatures from value, a header sha256=…
  signatures=${value#sha256=}
  [ "$signatures" != "$value" ] || refuse header_malformed
  [ ${#signatures} -eq 64 ] || refuse signature_malformed
  case $signatures in *[!0-9a-f]*) refuse signature_malformed ;; esac
}

# Prints "valid TIME SECRET SIGNATURE" (TIME is "-" where none is signed) or "invalid REASON". NOW is
# unix seconds; an empty TOLERANCE is 300 seconds.
verify() ( # paymos|stripe|github header-file body-file now tolerance max-body-bytes secret-file...
  scheme=$1 header=$2 body=$3 now=${4%%.*} tolerance=$5 limit=$6
  shift 6
  check_secrets "$@"
  case $scheme:$tolerance in github:?* | *:*[!0-9]*) refuse tolerance_invalid ;; esac
  value=$(tr -c '\t -~' '?' <"$header") # other bytes only make a value malformed, whichever they are
  case $value in *[!"$blank"]*) ;; *) refuse header_missing ;; esac
  time=-
  if [ "$scheme" = github ]; then
    read_hub
  else
    read_timed
    [ $((now - time)) -le "${tolerance:-300}" ] || refuse timestamp_too_old
    [ $((time - now)) -le "${tolerance:-300}" ] || refuse timestamp_too_new
  fi
  [ "$(($(wc -c <"$body")))" -le "$limit" ] || refuse body_too_large
  { [ "$time" = - ] || printf '%s.' "$time"; cat "$body"; } >"$work/content" || exit 1
  signatures=$(printf '%s\n' "$signatures" | numbers)
  matched='' index=0
  for secret; do # every secret meets every signature, without an early exit
    right=$(hmac "$secret" <"$work/content" | numbers)
    place=0
    while read -r given; do
      if same $right $given; then matched=${matched:-$index $place}; fi
      place=$((place + 1))
    done <<EOF
$signatures
EOF
    index=$((index + 1))
  done
  [ -n "$matched" ] || refuse signature_mismatch
  echo "valid $time $matched"
)

# Prints "valid HEADER" or "invalid REASON".
sign() ( # paymos|stripe|github time body-file secret-file...
  scheme=$1 time=$2 body=$3
  shift 3
  check_secrets "$@"
  if [ "$scheme" = github ]; then
    [ $# -eq 1 ] || refuse secret_invalid
    echo "valid sha256=$(hmac "$1" <"$body")"
    exit
  fi
  check_time "$time"
  { printf '%s.' "$time"; cat "$body"; } >"$work/content" || exit 1
  header="t=$time"
  for secret; do header="$header,v1=$(hmac "$secret" <"$work/content")"; done
  echo "valid $header"
)
