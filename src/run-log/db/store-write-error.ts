// The fault of a write, told apart from all others by its class.

/** A write that failed. Carries nothing of the statement, its values or the connection. */
export class StoreWriteError extends Error {
  /** Null when the database was not reached or did not answer in time. */
  readonly sqlstate: string | null;

  constructor(sqlstate: string | null) {
    super(sqlstate === null ? "The database was not reached in time" : `The database refused the write (${sqlstate})`);
    this.name = "StoreWriteError";
    this.sqlstate = sqlstate;
  }
}
