/* The protocol loop: one JSON line in, one JSON line out. It finds its way in the runner's messages and judges nothing itself. */
#define _POSIX_C_SOURCE 200809L
#include "hookproof.h"
#include <math.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a member. The runner prints no space before a colon, and a quote inside a text has a backslash in front of it, so that only
   a member's name is found. No text that is looked at here needs an escape. */
static const char *member(const char *line, const char *name) {
  char pattern[32];
  snprintf(pattern, sizeof pattern, "\"%s\":", name);
  const char *at = strstr(line, pattern);
  return at != NULL ? at + strlen(pattern) + strspn(at + strlen(pattern), " ") : "";
}

/* The next text before a closing bracket, NULL without one. */
static const char *next(const char *at, hp_bytes *text) {
  at += strspn(at, "[, ");
  if (*at != '"') return NULL;
  *text = (hp_bytes){(const unsigned char *)at + 1, strcspn(at + 1, "\"")};
  return at + 1 + text->size + (at[1 + text->size] == '"');
}

static int is(const char *value, const char *wanted) {
  hp_bytes text;
  return next(value, &text) != NULL && text.size == strlen(wanted) && memcmp(text.at, wanted, text.size) == 0;
}

/* Base64, decoded to *room, which is moved on. All that a line holds is shorter than the line. */
static hp_bytes base64(hp_bytes text, unsigned char **room) {
  int size = EVP_DecodeBlock(*room, text.at, (int)text.size);
  if (size < 0) abort(); /* the message is wrong, not the delivery */
  for (size_t i = text.size; i > 0 && text.size - i < 2 && text.at[i - 1] == '='; i--) size--;
  *room += text.size;
  return (hp_bytes){*room - text.size, (size_t)size};
}

static hp_bytes member_bytes(const char *line, const char *name, unsigned char **room) {
  hp_bytes text = {(const unsigned char *)"", 0};
  next(member(line, name), &text);
  return base64(text, room);
}

static const char *verify(const hp_provider *provider, const char *line, unsigned char *room, hp_delivery *delivery) {
  const char *limit = member(line, "maxBodyBytes"), *tolerance = member(line, "tolerance"), *at;
  size_t most = 1; /* every text in a list has a quote */
  for (at = line; *at != '\0'; at++) most += *at == '"';
  hp_bytes *secrets = calloc(most, sizeof *secrets), text = {(const unsigned char *)"", 0};
  hp_header *headers = calloc(most, sizeof *headers);
  if (secrets == NULL || headers == NULL) abort();
  hp_request request = {.headers = headers, .secrets = secrets, .body = member_bytes(line, "body", &room)};
  next(member(line, "now"), &text);
  request.now = (int64_t)floor(strtod((const char *)text.at, NULL));
  request.tolerance = *tolerance == 'n' ? HP_DEFAULT : strtoll(tolerance, NULL, 10);
  request.max_body = *limit != '\0' ? strtoull(limit, NULL, 10) : HP_MAX_BODY;
  for (at = member(line, "secrets"); (at = next(at, &text)) != NULL;) secrets[request.secret_count++] = base64(text, &room);
  for (at = member(line, "headers"); (at = next(at, &headers[request.header_count].name)) != NULL; at += *at == ']') {
    if ((at = next(at, &text)) == NULL) abort();
    headers[request.header_count++].value = base64(text, &room);
  }
  const char *reason = hp_verify(provider, &request, delivery);
  free(secrets);
  free(headers);
  return reason;
}

static void run(const char *line, unsigned char *room) {
  const char *profile = member(line, "profile"), *op = member(line, "op");
  const hp_provider *timed = is(profile, "paymos") ? &hp_paymos : is(profile, "stripe") ? &hp_stripe : NULL;
  const hp_provider *provider = is(profile, "github") || is(profile, "meta") ? &hp_hub : timed;
  hp_delivery delivery;
  unsigned char mac[HP_MAC_SIZE];
  if (is(op, "mac")) {
    hp_bytes key = member_bytes(line, "key", &room);
    if (!hp_mac(key, "", member_bytes(line, "message", &room), mac)) abort();
    printf("\"result\":\"valid\",\"output\":{\"mac\":\"");
    for (int i = 0; i < HP_MAC_SIZE; i++) printf("%02x", mac[i]);
    printf("\"}}\n");
  } else if (is(op, "verify") && provider != NULL) {
    const char *reason = verify(provider, line, room, &delivery);
    if (reason != NULL) {
      printf("\"result\":\"invalid\",\"reason\":\"%s\"}\n", reason);
    } else {
      printf("\"result\":\"valid\",\"output\":{");
      if (provider->timed) printf("\"timestamp\":\"%s\",", delivery.timestamp);
      printf("\"matched\":{\"secret\":%zu,\"signature\":%zu}}}\n", delivery.secret, delivery.signature);
    }
  } else {
    printf("\"skipped\":\"no such op or profile\"}\n");
  }
}

int main(void) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    const char *cmd = member(line, "cmd");
    if (is(cmd, "bye")) break;
    printf("{\"p\":1,\"seq\":%lld,", strtoll(member(line, "seq"), NULL, 10));
    if (is(cmd, "hello")) {
      printf("\"implementation\":{\"name\":\"hookproof-c\",\"version\":\"1.0.0\",\"language\":\"c\",\"runtime\":\"%s\"},"
             "\"profiles\":[\"paymos\",\"stripe\",\"github\",\"meta\"],\"ops\":[\"verify\",\"mac\"],\"capabilities\":[\"mac\",\"tolerance\","
             "\"multi-secret\",\"secret-bytes\",\"header-lines\",\"header-bytes\",\"raw-body\",\"limits\",\"matched\"],"
             "\"choices\":{\"HexCase\":\"valid\"}}\n", OPENSSL_VERSION_TEXT);
    } else if (is(cmd, "run")) {
      unsigned char *room = malloc(size);
      if (room == NULL) abort();
      run(line, room);
      free(room);
    } else {
      printf("\"error\":{\"message\":\"unknown cmd\"}}\n");
    }
    fflush(stdout);
  }
  free(line);
}
