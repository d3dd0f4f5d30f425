import adapter from '@sveltejs/adapter-node'

// The contract sends every content type from nowhere; the other build has what a new project has.
const csrf = process.env.FORMS === 'from-anywhere' ? { trustedOrigins: ['*'] } : {}

export default { kit: { adapter: adapter(), csrf } }
