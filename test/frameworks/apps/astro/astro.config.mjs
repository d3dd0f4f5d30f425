import node from '@astrojs/node'

// The contract sends every content type from nowhere; the other build has what a new project has.
const security = process.env.FORMS === 'from-anywhere' ? { checkOrigin: false } : {}

export default { adapter: node({ mode: 'standalone' }), security }
