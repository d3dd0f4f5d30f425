// What GitHub's payloads have in common, as documented and unchecked; the rest depends on the event
// in X-GitHub-Event.

export type GitHubEvent = {
  readonly action?: string
  readonly repository?: unknown
  readonly organization?: unknown
  readonly installation?: unknown
  readonly sender?: unknown
  readonly [key: string]: unknown
}
