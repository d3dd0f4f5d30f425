# frozen_string_literal: true

# Answers the conformance runner: JSON Lines on standard input and output.
require_relative 'providers'

SCHEMES = { 'paymos' => Hookproof::PAYMOS, 'stripe' => Hookproof::STRIPE, 'github' => Hookproof::GITHUB }.freeze
CHOICES = %w[HexCase IntegralFloat LargeVersion DuplicateJsonKey DeepNesting].freeze
HELLO = {
  implementation: { name: 'hookproof-ruby', version: '1.0.0', language: 'ruby',
                    runtime: "#{RUBY_ENGINE} #{RUBY_VERSION}" },
  profiles: SCHEMES.keys, ops: %w[verify sign mac], choices: CHOICES.to_h { |choice| [choice, 'valid'] },
  capabilities: %w[sign mac tolerance limits multi-secret secret-bytes raw-body header-lines header-bytes
                   timestamp-text envelope matched]
}.freeze

def bytes(base64)
  base64.to_s.unpack1('m0')
end

def run(profile, operation, given)
  return { mac: Hookproof.mac(bytes(given['key']), bytes(given['message'])) } if operation == 'mac'

  body = bytes(given['body'])
  secrets = given['secrets'].map { |secret| bytes(secret) }
  if operation == 'sign'
    return { header: Hookproof.sign_github(secrets, body) } if profile == 'github'
    return { header: Hookproof.sign(secrets, body, given['timestamp']) }
  end
  headers = given['headers'].map { |name, value| [name, bytes(value)] }
  limit = given.dig('limits', 'maxBodyBytes')
  Hookproof.verify(headers, body, secrets, given['now'].to_r, tolerance: given['tolerance'],
                   scheme: SCHEMES.fetch(profile), **(limit ? { max_body_bytes: limit } : {}))
end

def answer(message)
  case message['cmd']
  when 'hello' then HELLO
  when 'run' then { result: 'valid', output: run(*message.values_at('profile', 'op', 'input')) }
  else { error: { message: 'unknown cmd' } }
  end
rescue Hookproof::Refused => e
  { result: 'invalid', reason: e.message }
rescue StandardError => e
  { error: { message: e.inspect } }
end

$stdout.sync = true
$stdin.binmode.each_line do |line|
  message = JSON.parse(line)
  break if message['cmd'] == 'bye'

  puts JSON.generate({ p: 1, seq: message['seq'] }.merge(answer(message)))
end
