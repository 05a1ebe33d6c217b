// The error of a failed write, with a separate class so that callers can recognise it.

/** A failed write. Reveals nothing about the statement, its values or the connection. */
export class StoreWriteError extends Error {
  /** Null if the database was unreachable or did not answer in time. */
  readonly sqlstate: string | null;

  constructor(sqlstate: string | null) {
    super(
      sqlstate === null ? "The database could not be reached in time" : `The database refused the write (${sqlstate})`,
    );
    this.name = "StoreWriteError";
    this.sqlstate = sqlstate;
  }
}
