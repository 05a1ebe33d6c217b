// The interface that the /sql endpoint and the migrations need from a database. Parameters and results are
// Postgres text.

/** One statement of the extended protocol; parameters are Postgres text or null. */
export interface Statement {
  query: string;
  params: readonly (string | null)[];
}

/** A statement's result in the format of Neon's reply. */
export interface StatementResult {
  /** First word of the command tag, e.g. `INSERT`. */
  command: string;
  /** Rows returned by a SELECT, rows affected otherwise. */
  rowCount: number;
  fields: { name: string; dataTypeID: number }[];
  /** Postgres text output, never parsed. */
  rows: (string | null)[][];
}

export interface SqlSession {
  /** Runs one statement. Several statements in the text are an error. */
  query(statement: Statement): Promise<StatementResult>;
  /** Runs a text with several statements and no parameters. */
  script(text: string): Promise<void>;
}

export interface SqlBackend {
  query(statement: Statement): Promise<StatementResult>;
  /** Commits the statements of `work`, or rolls all of them back if `work` or the commit rejects. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Waits for running work, then releases the database. */
  close(): Promise<void>;
}

/** Fields of a Postgres error that Neon's reply passes on. */
export const ERROR_FIELDS = [
  "severity",
  "code",
  "detail",
  "hint",
  "position",
  "internalPosition",
  "internalQuery",
  "where",
  "schema",
  "table",
  "column",
  "dataType",
  "constraint",
  "file",
  "line",
  "routine",
] as const;

/** Whether Postgres returned the error, as opposed to a lost connection or a bug of ours. */
export function isPostgresError(
  error: unknown,
): error is Error & Partial<Record<(typeof ERROR_FIELDS)[number], string>> {
  return error instanceof Error && "severity" in error && "code" in error && /^[0-9A-Z]{5}$/.test(`${error.code}`);
}
