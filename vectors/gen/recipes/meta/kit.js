// The vocabulary of the Meta recipes: app secret A signs body P.
import { hubKit } from '../shared/hub.js'

export * from '../../kit.js'

export const RULES = {
  ...{ header: 'F1', prefix: 'F2', form: 'F3', lines: 'F4', signed: 'F5', key: 'F6', match: 'F7' },
  ...{ size: 'F9', text: 'F9', envelope: 'F10', facts: 'F11', order: 'F12', sign: 'F12' },
}

export const kit = hubKit(
  '{"object":"whatsapp_business_account","entry":[{"id":"100","changes":[{"field":"messages","value":{"messaging_product":"whatsapp","messages":[{"id":"wamid.A","type":"text","text":{"body":"x"}}]}}]}]}',
  { type: 'whatsapp_business_account', idSigned: true, items: ['wamid.A'] },
)
