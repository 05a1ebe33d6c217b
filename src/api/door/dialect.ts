// The words for how a foreign contract's clients read a fault.

/** A fault of the whole request, before any dialect's words. */
export interface RequestFault {
  status: number;
  /** A code of docs/errors.jsonl. */
  code: string;
  message: string;
  /** The first field at fault. */
  param: string | null;
}

/** The status and the members that a dialect adds to (or changes in) the problem document. */
export type FaultDialect = (fault: RequestFault) => { status: number; members: Record<string, unknown> };
