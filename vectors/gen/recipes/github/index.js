import { GITHUB_DOCS } from '../../published.js'
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
import { A, ID, kit, RULES } from './kit.js'

const sgn = hubSignGroup(kit, RULES)

export default {
  profile: 'github',
  ...hubScheme(kit),
  groups: [
    hubHeaderGroup(kit, RULES),
    hubSignatureGroup(kit, RULES),
    hubRotationGroup(kit, RULES),
    bodyGroup(kit, RULES),
    hubSecretGroup(kit, RULES),
    env,
    { id: 'ord', title: 'Order of checks', op: 'verify', cases: hubOrderCases(kit, RULES) },
    {
      ...sgn,
      cases: [
        ...sgn.cases,
        {
          id: 'sgn-008',
          title: 'The answer that GitHub has published, signed',
          why: 'The documentation gives this secret, this body and this signature.',
          severity: 'high',
          flags: ['SignFormat', 'Basic'],
          spec: ['G12'],
          secrets: [GITHUB_DOCS.key],
          body: GITHUB_DOCS.message,
          expect: { result: 'valid', output: { header: `sha256=${GITHUB_DOCS.mac}` } },
          comment: 'GitHub documentation, "Testing the webhook payload validation".',
        },
        {
          id: 'sgn-009',
          title: 'Signed with a delivery id',
          why: 'The id goes into a header of its own and is not signed.',
          severity: 'medium',
          flags: ['SignFormat', 'Basic'],
          spec: ['G12'],
          secrets: [A],
          body: '{}',
          deliveryId: ID,
          expect: { result: 'valid', output: { header: kit.signed('{}').header } },
        },
      ],
    },
  ],
}
