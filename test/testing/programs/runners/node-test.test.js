import { describe, it } from 'node:test'
import { define } from './suite.js'

define({ describe, it })
