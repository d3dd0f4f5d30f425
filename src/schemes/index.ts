export { paymos } from './paymos.ts'
