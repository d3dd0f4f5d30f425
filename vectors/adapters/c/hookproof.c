#include "hookproof.h"
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER = 4096, MAX_SIGNATURES = 16 };
typedef struct { char timestamp[13]; unsigned char signatures[MAX_SIGNATURES][HP_MAC_SIZE]; size_t count; } parts;

const hp_provider hp_paymos = {"x-webhook-signature", 1}, hp_stripe = {"stripe-signature", 1}, hp_hub = {"x-hub-signature-256", 0};

static int same(hp_bytes bytes, const char *text) { return bytes.size == strlen(text) && memcmp(bytes.at, text, bytes.size) == 0; }

static hp_bytes trim(hp_bytes text) {
  for (; text.size > 0 && (*text.at == ' ' || *text.at == '\t'); text.at++) text.size--;
  while (text.size > 0 && (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == '\t')) text.size--;
  return text;
}

static size_t find(hp_bytes text, char wanted) {
  const unsigned char *at = text.size > 0 ? memchr(text.at, wanted, text.size) : NULL;
  return at != NULL ? (size_t)(at - text.at) : text.size;
}

static hp_bytes from(hp_bytes text, size_t start) {
  return start < text.size ? (hp_bytes){text.at + start, text.size - start} : (hp_bytes){text.at, 0};
}

/* The lines of a header joined by a comma and a space (D5), in new memory. */
static hp_bytes join(const hp_request *request, const char *name) {
  size_t room = 1, length = strlen(name), size = 0;
  for (size_t i = 0; i < request->header_count; i++) room += request->headers[i].value.size + 2;
  unsigned char *joined = malloc(room);
  for (size_t i = 0, lines = 0; joined != NULL && i < request->header_count; i++) {
    hp_bytes given = request->headers[i].name, value = request->headers[i].value;
    if (given.size != length || OPENSSL_strncasecmp((const char *)given.at, name, length) != 0) continue;
    if (lines++ > 0) memcpy(joined + size, ", ", 2), size += 2;
    if (value.size > 0) memcpy(joined + size, value.at, value.size), size += value.size;
  }
  return (hp_bytes){joined, size};
}

static int is_timestamp(hp_bytes text) {
  for (size_t i = 0; i < text.size; i++)
    if (text.at[i] < '0' || text.at[i] > '9') return 0;
  return text.size >= 1 && text.size <= 12 && (text.at[0] != '0' || text.size == 1);
}

static int unhex(hp_bytes text, unsigned char mac[HP_MAC_SIZE]) {
  for (size_t i = 0; text.size == 2 * HP_MAC_SIZE && i < HP_MAC_SIZE; i++) {
    int high = OPENSSL_hexchar2int(text.at[2 * i]), low = OPENSSL_hexchar2int(text.at[2 * i + 1]);
    if (high < 0 || low < 0) return 0;
    mac[i] = (unsigned char)(high * 16 + low);
  }
  return text.size == 2 * HP_MAC_SIZE;
}

/* Steps 4 to 10, the grammar of section 3. */
static const char *read_timed(hp_bytes value, parts *found) {
  hp_bytes time = {NULL, 0};
  size_t times = 0, filled = 0;
  if (value.size > MAX_HEADER) return "header_too_long";
  for (size_t end; value.size > 0; value = from(value, end + 1)) {
    end = find(value, ',');
    hp_bytes element = trim((hp_bytes){value.at, end}), key = {element.at, find(element, '=')}, text = from(element, key.size + 1);
    if (same(key, "t") && times++ == 0) time = text;
    if (!same(key, "v1") || text.size == 0 || filled++ >= MAX_SIGNATURES) continue;
    found->count += (size_t)unhex(text, found->signatures[found->count]);
  }
  if (times == 0) return "timestamp_missing";
  if (times > 1) return "timestamp_duplicate";
  if (!is_timestamp(time)) return "timestamp_malformed";
  if (filled == 0) return "signature_missing";
  if (filled > MAX_SIGNATURES) return "signatures_too_many";
  memcpy(found->timestamp, time.at, time.size); /* zeros are behind it */
  return found->count == 0 ? "signature_malformed" : NULL;
}

/* G2 and G3. */
static const char *read_hub(hp_bytes value, parts *found) {
  if (value.size < 7 || memcmp(value.at, "sha256=", 7) != 0) return "header_malformed";
  for (size_t i = 7; i < value.size; i++)
    if (value.at[i] >= 'A' && value.at[i] <= 'F') return "signature_malformed";
  found->count = (size_t)unhex(from(value, 7), found->signatures[0]);
  return found->count == 0 ? "signature_malformed" : NULL;
}

int hp_mac(hp_bytes key, const char *timestamp, hp_bytes body, unsigned char mac[HP_MAC_SIZE]) {
  size_t digits = strlen(timestamp), head = digits > 0 ? digits + 1 : 0;
  unsigned char *message = key.size <= INT_MAX && body.size < SIZE_MAX - head ? malloc(head + body.size + 1) : NULL;
  if (message == NULL) return 0;
  memcpy(message, timestamp, digits);
  if (head > 0) message[digits] = '.';
  if (body.size > 0) memcpy(message + head, body.at, body.size);
  int done = HMAC(EVP_sha256(), key.size > 0 ? key.at : message, (int)key.size, message, head + body.size, mac, NULL) != NULL;
  free(message);
  return done;
}

const char *hp_verify(const hp_provider *provider, const hp_request *request, hp_delivery *delivery) {
  int matched = 0, timed = provider->timed;
  for (size_t i = 0; i < request->secret_count; i++)
    if (request->secrets[i].size == 0) return "secret_missing";
  if (request->secret_count == 0) return "secret_missing";
  int64_t limit = request->tolerance == HP_DEFAULT ? 300 : request->tolerance;
  if (limit < 0 || (!timed && request->tolerance != HP_DEFAULT)) return "tolerance_invalid";
  parts found = {.count = 0};
  hp_bytes value = join(request, provider->header);
  if (value.at == NULL) return "no_memory";
  const char *reason = trim(value).size == 0 ? "header_missing" : timed ? read_timed(value, &found) : read_hub(value, &found);
  free((void *)value.at);
  if (reason != NULL) return reason;
  int64_t age = timed ? request->now - strtoll(found.timestamp, NULL, 10) : 0; /* 12 digits at most */
  if (timed && age > limit) return "timestamp_too_old";
  if (timed && -age > limit) return "timestamp_too_new";
  if (request->body.size > request->max_body) return "body_too_large";
  for (size_t secret = 0; secret < request->secret_count; secret++) { /* every secret meets every signature, without an early exit */
    unsigned char mac[HP_MAC_SIZE];
    if (!hp_mac(request->secrets[secret], found.timestamp, request->body, mac)) return "no_memory";
    for (size_t signature = 0; signature < found.count; signature++) {
      int equal = CRYPTO_memcmp(mac, found.signatures[signature], HP_MAC_SIZE) == 0;
      if (equal && !matched) delivery->secret = secret, delivery->signature = signature;
      matched |= equal;
    }
  }
  memcpy(delivery->timestamp, found.timestamp, sizeof found.timestamp);
  return matched ? NULL : "signature_mismatch";
}
