// How a foreign contract's error replies differ from ours.

/** A fault of the whole request, before a dialect rewords it. */
export interface RequestFault {
  status: number;
  /** A code from docs/errors.jsonl. */
  code: string;
  message: string;
  /** The first invalid field. */
  param: string | null;
}

/** Returns the status, and the members that a dialect adds to or overrides in the problem document. */
export type FaultDialect = (fault: RequestFault) => { status: number; members: Record<string, unknown> };
