/* Verifies the signatures of webhooks by the rules of SPEC.md and spec/, up to step 14: the body is not decoded. Link with -lcrypto. */
#ifndef HOOKPROOF_H
#define HOOKPROOF_H
#include <stddef.h>
#include <stdint.h>

enum { HP_MAX_BODY = 1048576, HP_MAC_SIZE = 32 };
#define HP_DEFAULT INT64_MIN /* the default tolerance of the provider */

typedef struct { const unsigned char *at; size_t size; } hp_bytes;
typedef struct { hp_bytes name, value; } hp_header;
typedef struct { const char *header; int timed; } hp_provider; /* t=…,v1=… in this header, or sha256=… where no time is signed */
extern const hp_provider hp_paymos, hp_stripe, hp_hub;         /* hp_hub is GitHub and Meta */

typedef struct {
  const hp_header *headers; /* in the order of the wire */
  const hp_bytes *secrets;
  hp_bytes body; /* as received */
  size_t header_count, secret_count, max_body;
  int64_t now, tolerance; /* seconds */
} hp_request;
typedef struct { char timestamp[13]; size_t secret, signature; } hp_delivery;

/* NULL when the delivery is genuine, which fills in *delivery; else the reason: a name of SPEC.md section 9, or "no_memory". */
const char *hp_verify(const hp_provider *provider, const hp_request *request, hp_delivery *delivery);
/* HMAC-SHA256 of the timestamp, a full stop and the body, or of the body alone when the timestamp is "". 0 when there is no memory. */
int hp_mac(hp_bytes key, const char *timestamp, hp_bytes body, unsigned char mac[HP_MAC_SIZE]);
#endif
