import { bodyGroup } from '../shared/bod.js'
import {
  hubHeaderGroup,
  hubOrderCases,
  hubRotationGroup,
  hubScheme,
  hubSecretGroup,
  hubSignatureGroup,
  hubSignGroup,
} from '../shared/hub.js'
import env from './env.js'
import { kit, RULES, refuse } from './kit.js'

export default {
  profile: 'meta',
  ...hubScheme(kit),
  groups: [
    hubHeaderGroup(kit, RULES),
    hubSignatureGroup(kit, RULES),
    hubRotationGroup(kit, RULES),
    bodyGroup(kit, RULES),
    hubSecretGroup(kit, RULES),
    env,
    {
      id: 'ord',
      title: 'Order of checks',
      op: 'verify',
      cases: [
        ...hubOrderCases(kit, RULES),
        {
          id: 'ord-007',
          title: 'A blank object and no entry',
          why: 'A field is finished before the next one is looked at.',
          severity: 'low',
          flags: ['CheckOrder'],
          spec: ['F12'],
          ...kit.signed('{"object":""}'),
          expect: refuse('envelope_field_value'),
        },
      ],
    },
    hubSignGroup(kit, RULES),
  ],
}
