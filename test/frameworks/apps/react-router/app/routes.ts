import { index, type RouteConfig, route } from '@react-router/dev/routes'

export default [
  route('webhook', 'routes/webhook.ts'),
  index('routes/contract.js', { id: 'root-of-contract' }),
  route('*', 'routes/contract.js'),
] satisfies RouteConfig
