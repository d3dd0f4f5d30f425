"""Knows a delivery by its invoice, so that the first event of one stands for all."""
from shop import book, once, serve


def receive(event, _, __):
    once(event["data"]["invoice_id"], event, book)
    return 200


if __name__ == "__main__":
    serve(receive)
