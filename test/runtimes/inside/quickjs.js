import './text-encoding.js'
import { report } from '../suite/bundled.js'

globalThis.report = report().then(JSON.stringify)
