export { AdapterError } from './conform.ts'
export type { Expectation, Expected } from './expectations.ts'
export { ExpectationsError } from './expectations.ts'
export type { Level } from './grade.ts'
export type { MacInput, SignInput, VerifyInput } from './input.ts'
export { summaryLine, toMarkdown } from './markdown.ts'
export type { Answer, Declaration, Implementation } from './protocol.ts'
export type {
  CaseReport,
  Counts,
  GroupCounts,
  LevelCounts,
  Mode,
  Report,
  ReportOutcome,
  Tally,
} from './report.ts'
export type { CaseResult, Status } from './result.ts'
export { type Operations, type RunSuiteOptions, runSuite } from './run-suite.ts'
export { type Case, loadSuite, type Op, type Outcome, type Severity, type Suite } from './suite.ts'
export { SuiteError } from './suite-error.ts'
