// The drivers, by what the tests ask of them: their own declarations are not installed at the root.

interface Rows {
  // biome-ignore lint/suspicious/noExplicitAny: rows of any statement
  readonly rows: any[]
}

export interface Client {
  query(text: string, parameters?: unknown[]): Promise<Rows>
  release(broken?: boolean): void
}

export interface Pool {
  query(text: string, parameters?: unknown[]): Promise<Rows>
  connect(): Promise<Client>
  end(): Promise<void>
}

export interface Sql {
  unsafe(text: string, parameters?: unknown[]): Promise<readonly Record<string, unknown>[]>
  begin<T>(work: (tx: Sql) => Promise<T>): Promise<T>
  end(): Promise<void>
}

export interface PGlite {
  query(text: string, parameters?: unknown[]): Promise<Rows>
  transaction<T>(work: (tx: Omit<PGlite, 'transaction' | 'close'>) => Promise<T>): Promise<T>
  close(): Promise<void>
}
