import { define } from './suite.js'

// jest's own globals.
define({ describe, it })
