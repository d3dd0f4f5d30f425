/** docs/schemes.md: the facts of every profile, for users of the library. */
export function schemesPage({ profiles }) {
  const all = Object.values(profiles)
  return `${[
    '# Schemes',
    '',
    '<!-- Generated from vectors/profiles by npm run vectors; do not edit. -->',
    '',
    'One small file for each provider. `paymos` is the default; pass another as `scheme`, imported from `hookproof/schemes`, or alone from the',
    'path in the table. All of them compute HMAC-SHA256 over the bytes as they came.',
    '',
    '| provider | import | headers | signed bytes | key | encoding | timestamp, tolerance |',
    '|---|---|---|---|---|---|---|',
    ...all.map((profile) =>
      row([
        providerLink(profile),
        `\`${camelCase(profile.name)}\` from \`hookproof/schemes/${profile.name}\``,
        profile.summary.header,
        profile.mac.content,
        profile.mac.key,
        profile.mac.encoding,
        timeText(profile),
      ]),
    ),
    '',
    '| provider | several secrets | `delivery.id` | signed? | dedupe | limits |',
    '|---|---|---|---|---|---|',
    ...all.map(({ summary, limits }) =>
      row([
        summary.provider,
        summary.rotation,
        summary.idSource,
        summary.idSigned ? 'yes' : '**no**',
        summary.dedupe,
        limitsText(limits),
      ]),
    ),
    '',
    'Where nothing signs a time, `verdict.timestamp` is absent and `toleranceSeconds` throws `tolerance_invalid`. Where nothing signs the id,',
    '`delivery.idSigned` is `false`. A limit on the body is the default of `maxBodyBytes`; the others are fixed.',
    '',
    '## What the signature does not cover',
    ...all.flatMap(({ summary, spec, documents }) => [
      '',
      `### ${summary.provider}`,
      '',
      summary.notSigned,
      '',
      `Rules and vectors: [${spec}](../vectors/${spec}). Provider: ${documents
        .map(({ title, url }) => `[${title}](${url})`)
        .join(', ')}.`,
    ]),
    '',
    '## Another provider',
    '',
    'A scheme is an object literal; nothing is registered: [writing a scheme](writing-a-scheme.md). Coming from a provider\u2019s own library:',
    '[migrating](migrating.md).',
  ].join('\n')}\n`
}

function providerLink({ summary, spec }) {
  return `[${summary.provider}](../vectors/${spec})`
}

function timeText({ defaultToleranceSeconds: seconds }) {
  return seconds === null ? '**none signed**' : `signed, ${seconds} s either way`
}

function limitsText({ maxHeaderLength, maxIdLength, maxSignatures, maxBodyBytes }) {
  return [
    maxHeaderLength && `header ${number(maxHeaderLength)} characters`,
    maxIdLength && `id ${maxIdLength} characters`,
    maxSignatures === 1 ? 'one signature' : `${maxSignatures} signatures`,
    `body ${number(maxBodyBytes)} bytes`,
  ]
    .filter(Boolean)
    .join(', ')
}

function number(value) {
  return value.toLocaleString('en')
}

function camelCase(name) {
  return name.replace(/-(.)/gu, (_, letter) => letter.toUpperCase())
}

function row(cells) {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
}
