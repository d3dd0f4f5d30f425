"""Knows a delivery by the header X-Webhook-Id, which nobody signed, and sends a parcel for each."""
from shop import once, send_parcel, serve


def receive(event, _, headers):
    once(headers["X-Webhook-Id"], event, send_parcel)
    return 200


if __name__ == "__main__":
    serve(receive)
