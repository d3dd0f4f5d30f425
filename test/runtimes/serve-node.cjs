const { webhook } = require('../../dist/adapters/node.cjs')

import('./host/serve-node.js').then(({ serve }) => serve(webhook))
