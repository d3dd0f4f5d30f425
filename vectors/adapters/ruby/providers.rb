# frozen_string_literal: true

# Stripe and GitHub for hookproof.rb: ../../spec/stripe.md and ../../spec/github.md.
require 'time'
require_relative 'hookproof'

module Hookproof
  RFC3339 = /\A(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)\z/

  module_function

  # A number, or RFC 3339 text without its fraction, as unix seconds; else nil (S13).
  def seconds(value)
    value = Time.iso8601($1 + $2).to_i if value.is_a?(String) && value =~ RFC3339
    value.to_i.to_s if value.is_a?(Numeric) && value.between?(0, MAX_SAFE) && value == value.floor
  rescue ArgumentError # there is no such day
    nil
  end

  def stripe_event(envelope, _headers)
    event = { id: member(envelope, 'id', String), type: member(envelope, 'type', String), idSigned: true }
    created = seconds(envelope['created'])
    data = envelope['data']
    subject, kind = data.is_a?(Hash) ? [data['object'], 'object'] : [envelope['related_object'], 'type']
    event[:occurredAt] = created if created
    if subject.is_a?(Hash) && text?(subject[kind]) && text?(subject['id'])
      event[:resource] = { kind: subject[kind], id: subject['id'] }
    end
    [event, []]
  end

  # GitHub signs no time (G2, G3).
  def read_hub(value)
    need(value.start_with?('sha256='), 'header_malformed')
    need(value.match?(/\Asha256=[0-9a-f]{64}\z/), 'signature_malformed')
    ['', nil, [value[7..]]]
  end

  def github_event(_envelope, headers)
    event = { type: text(header(headers, 'x-github-event') || ''), idSigned: false }
    delivery = header(headers, 'x-github-delivery') || ''
    [delivery.empty? ? event : event.merge(id: text(delivery)), []]
  end

  def sign_github(secrets, body)
    need(secrets.any? && secrets.none?(&:empty?), 'secret_missing')
    need(secrets.one?, 'secret_invalid')
    "sha256=#{mac(secrets[0], body)}"
  end

  STRIPE = ['stripe-signature', PAYMOS[1], method(:stripe_event)].freeze
  GITHUB = ['x-hub-signature-256', method(:read_hub), method(:github_event)].freeze
end
