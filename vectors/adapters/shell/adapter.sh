#!/bin/sh
# Answers one line of the conformance runner in one-shot mode.
set -u
umask 077
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
. "$(dirname "$0")/hookproof.sh"
mkdir "$work/in"

# The message as files in $work/in, named as its members, a value a line. With the escapes gone every second
# record between quotes is a string. No text is used but base64, digits and names, which have no escapes.
sed 's/\\./?/g' | dir=$work/in awk '
  BEGIN { RS = "\"" }
  NR % 2 {
    gsub(/[ \t\r\n]/, "")
    deep += gsub(/\[/, "")
    deep -= gsub(/\]/, "")
    if (match($0, /^:[0-9.-]+/)) print substr($0, 2, RLENGTH - 1) >file
    value = deep || /:$/
    next
  }
  value { print >file; next }
  { file = ENVIRON["dir"] "/" (/^[A-Za-z]+$/ ? $0 : "-"); printf "" >file }'

header_name() { # profile
  case $1 in
  paymos) echo x-webhook-signature ;;
  stripe) echo stripe-signature ;;
  github) echo x-hub-signature-256 ;;
  esac
}
get() { if [ -f "$work/in/$1" ]; then cat "$work/in/$1"; fi; }
answer() { printf '{"p":1,"seq":%s,%s}\n' "$(get seq)" "$1"; }
valid() { answer "\"result\":\"valid\",\"output\":{$1}"; }
invalid() { answer "\"result\":\"invalid\",\"reason\":\"$1\""; }

run() {
  profile=$(get profile)
  get body | base64 -d >"$work/body"
  get secrets >"$work/secrets"
  while read -r secret; do # each becomes a file and an argument of the functions below
    printf %s "$secret" | base64 -d >"$work/secret.$#"
    set -- "$@" "$work/secret.$#"
  done <"$work/secrets"
  case $(get op) in
  mac)
    get key | base64 -d >"$work/key"
    valid "\"mac\":\"$(get message | base64 -d | hmac "$work/key")\""
    ;;
  sign)
    set -- $(sign "$profile" "$(get timestamp)" "$work/body" "$@")
    if [ "$1" = valid ]; then valid "\"header\":\"$2\""; else invalid "$2"; fi
    ;;
  verify)
    join_lines "$work/in/headers" "$(header_name "$profile")" >"$work/header"
    limit=$(get maxBodyBytes)
    set -- $(verify "$profile" "$work/header" "$work/body" "$(get now)" "$(get tolerance)" \
      "${limit:-1048576}" "$@")
    case $1$2 in
    invalid*) invalid "$2" ;;
    valid-) valid "\"matched\":{\"secret\":$3,\"signature\":$4}" ;;
    *) valid "\"timestamp\":\"$2\",\"matched\":{\"secret\":$3,\"signature\":$4}" ;;
    esac
    ;;
  *) answer '"error":{"message":"unknown op"}' ;;
  esac
}

case $(get cmd) in
hello)
  q='"choices":{"HexCase":"valid","IntegralFloat":"valid","LargeVersion":"valid","DuplicateJsonKey":"valid",'
  q=$q'"DeepNesting":"valid"},"profiles":["paymos","stripe","github"],"ops":["verify","sign","mac"],'
  q=$q'"capabilities":["sign","mac","tolerance","limits","multi-secret","secret-bytes","raw-body",'
  q=$q'"header-lines","header-bytes","timestamp-text","matched"],'
  q=$q'"implementation":{"name":"hookproof-shell","version":"1.0.0","language":"shell"'
  answer "$q,\"runtime\":\"$(openssl version)\"}"
  ;;
run) run ;;
bye) ;;
*) answer '"error":{"message":"unknown cmd"}' ;;
esac
