import { webhook } from '../../dist/adapters/node.js'
import { serve } from './host/serve-node.js'

await serve(webhook)
