import { describe, it } from 'bun:test'
import { define } from './suite.js'

define({ describe, it })
