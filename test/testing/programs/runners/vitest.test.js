import { describe, it } from 'vitest'
import { define } from './suite.js'

define({ describe, it })
