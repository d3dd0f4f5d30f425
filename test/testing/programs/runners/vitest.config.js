export default { test: { include: ['vitest.test.js'], reporters: ['default'] } }
