// Error dialects: how the error replies of another tool's API differ from ours.

/** The error of a request, before a dialect converts it to another tool's format. */
export interface RequestFault {
  status: number;
  /** A code from docs/errors.jsonl. */
  code: string;
  message: string;
  /** Path of the first invalid field; null if the error names none. */
  param: string | null;
}

/** Returns the HTTP status, and the members to add to (or override in) the problem document. */
export type FaultDialect = (fault: RequestFault) => { status: number; members: Record<string, unknown> };
