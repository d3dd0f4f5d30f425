# frozen_string_literal: true

# Verifies signed webhooks, by the rules of ../../SPEC.md. Ruby 3.0+ with its own json and openssl.
require 'json'
require 'openssl'

module Hookproof
  # The delivery is refused; the message is the reason.
  class Refused < StandardError; end

  MAX_SAFE = 2**53 - 1
  RESOURCES = [['invoice.', 'invoice', 'invoice_id'], ['withdrawal.', 'withdrawal', 'withdrawal_id'],
               ['payment_channel.deposit.', 'payment_channel_deposit', 'id']].freeze
  KNOWN = {
    'invoice.' => %w[awaiting_payment confirming underpaid_waiting paid paid_over underpaid expired cancelled],
    'withdrawal.' => %w[created processing completed failed cancelled],
    'payment_channel.deposit.' => %w[confirming reorged confirmed]
  }.flat_map { |prefix, states| states.map { |state| prefix + state } }.freeze
  # Ruby's parser lets comments and escapes such as \q pass; outside of strings JSON has no slash.
  STRICT = %r{\A(?:[^"/]|"(?:[^"\\]|\\(?:["\\/bfnrt]|u\h{4}))*+")*+\z}
  # A pair, another escape, or a lone surrogate: text in UTF-8 has no place for the last.
  SURROGATE = /(\\u[dD][89abAB]\h\h\\u[dD][c-fC-F]\h\h|\\[^u])|\\u[dD][89a-fA-F]\h\h/

  module_function

  def need(condition, reason)
    condition or raise Refused, reason
  end

  def mac(key, message)
    OpenSSL::HMAC.hexdigest('SHA256', key, message)
  end

  # The lines of that name joined (D5), as bytes; nil when there is none.
  def header(headers, wanted)
    lines = headers.filter_map { |name, value| value.b if name.casecmp(wanted) == 0 }
    lines.join(', ') unless lines.empty?
  end

  # Without blanks at the ends: String#strip would drop NUL and line ends too.
  def trim(text)
    text[/[^ \t](?:.*[^ \t])?/mn] || ''
  end

  # Bytes of a header as text, one character for each byte.
  def text(bytes)
    bytes.dup.force_encoding('ISO-8859-1').encode('UTF-8')
  end

  def signed_head(timestamp)
    need(timestamp.match?(/\A(?:0|[1-9][0-9]{0,11})\z/), 'timestamp_malformed')
    "#{timestamp}.".b
  end

  # A header t=…,v1=…: the signed bytes before the body, the time, the well-formed signatures.
  def read_timed(value)
    need(value.bytesize <= 4096, 'header_too_long')
    elements = value.split(',', -1).map { |element| trim(element).partition('=') }
    times = elements.filter_map { |key, _, content| content if key == 't' }
    signatures = elements.filter_map { |key, _, content| content if key == 'v1' && content != '' }
    need(times.any?, 'timestamp_missing')
    need(times.one?, 'timestamp_duplicate')
    head = signed_head(times[0])
    need(signatures.any?, 'signature_missing')
    need(signatures.size <= 16, 'signatures_too_many')
    signatures = signatures.grep(/\A\h{64}\z/).map(&:downcase)
    need(signatures.any?, 'signature_malformed')
    [head, times[0], signatures]
  end

  def text?(value)
    value.is_a?(String) && value.match?(/[^\t-\r \u00a0]/)
  end

  def member(envelope, name, kind)
    need(envelope.key?(name), 'envelope_field_missing')
    value = envelope[name]
    need(value.is_a?(kind), 'envelope_field_type')
    need(kind != String || text?(value), 'envelope_field_value')
    value
  end

  def whole(envelope, name, least)
    number = member(envelope, name, Numeric).to_f
    need(number.infinite? || number == number.floor, 'envelope_field_type')
    need(number.between?(least, MAX_SAFE), 'envelope_field_value')
    number.to_i.to_s
  end

  def paymos_event(envelope, headers)
    event = { id: member(envelope, 'event_id', String), type: member(envelope, 'event_type', String) }
    event[:known] = KNOWN.include?(event[:type])
    event[:version] = whole(envelope, 'version', 1)
    event[:occurredAt] = whole(envelope, 'occurred_at', 0)
    data = member(envelope, 'data', Hash)
    delivery = header(headers, 'x-webhook-id')
    RESOURCES.each do |prefix, kind, name|
      next unless event[:type].start_with?(prefix) && text?(data[name])
      event[:resource] = { kind: kind, id: data[name] }
    end
    same = delivery.nil? || text(trim(delivery)) == event[:id]
    [event, same ? [] : ['delivery_id_mismatch']]
  end

  PAYMOS = ['x-webhook-signature', method(:read_timed), method(:paymos_event)].freeze

  def parse(body)
    document = body.dup.force_encoding('UTF-8')
    need(document.valid_encoding?, 'body_not_utf8')
    need(document.match?(STRICT), 'body_not_json')
    document = document.gsub(SURROGATE) { Regexp.last_match(1) || '\ufffd' }
    JSON.parse(document, max_nesting: 1000, allow_duplicate_key: true)
  rescue JSON::ParserError
    raise Refused, 'body_not_json'
  end

  # Returns what the delivery says, or raises Refused: the first step of section 2 that fails.
  # headers: pairs of name and bytes; body: the bytes received; secrets: a list; now: unix seconds.
  def verify(headers, body, secrets, now, tolerance: nil, max_body_bytes: 1_048_576, scheme: PAYMOS)
    name, read, read_event = scheme
    need(secrets.any? && secrets.none?(&:empty?), 'secret_missing')
    timed = read == PAYMOS[1] # schemes without a time take no tolerance
    need(tolerance.nil? || (timed && tolerance.is_a?(Integer) && tolerance >= 0), 'tolerance_invalid')
    value = header(headers, name)
    need(value&.match?(/[^ \t]/n), 'header_missing')
    head, timestamp, signatures = read.call(value)
    if timestamp
      age = now.floor - timestamp.to_i
      need(age <= (tolerance || 300), 'timestamp_too_old')
      need(-age <= (tolerance || 300), 'timestamp_too_new')
    end
    need(body.bytesize <= max_body_bytes, 'body_too_large')
    macs = secrets.map { |secret| mac(secret, head + body.b) }
    pairs = macs.each_index.to_a.product(signatures.each_index.to_a) # every one, without an early exit
    matches = pairs.select { |key, place| OpenSSL.fixed_length_secure_compare(macs[key], signatures[place]) }
    need(matches.any?, 'signature_mismatch')
    envelope = parse(body)
    need(envelope.is_a?(Hash), 'envelope_not_object')
    event, warnings = read_event.call(envelope, headers)
    output = { matched: { secret: matches[0][0], signature: matches[0][1] }, warnings: warnings, event: event }
    timestamp ? output.merge(timestamp: timestamp) : output
  end

  # The header t=…,v1=… for a body.
  def sign(secrets, body, timestamp)
    need(secrets.any? && secrets.none?(&:empty?), 'secret_missing')
    message = signed_head(timestamp) + body.b
    "t=#{timestamp}#{secrets.map { |secret| ",v1=#{mac(secret, message)}" }.join}"
  end
end
