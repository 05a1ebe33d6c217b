// Reports a fault in the words of the client that asked: which dialect a request is answered in, and the
// reply. The dialects: dialects.ts.
import { type ApiError, REQUEST_ERRORS } from "../../../core/faults/errors.ts";
import type { FaultDialect, RequestFault } from "../../door/dialect.ts";
import { problemResponse, problemType } from "../../door/problem.ts";
import type { AppContext } from "../../door/scope.ts";
import { Unjudged } from "./unjudged.ts";

/** From here on this request's faults are written in `dialect`: for paths that two dialects share. */
export function speak(c: AppContext, dialect: FaultDialect): void {
  c.set("dialect", dialect);
}

function requestFaultOf(fault: ApiError): RequestFault {
  const shown =
    fault instanceof Unjudged
      ? { status: fault.status, code: fault.item }
      : { status: REQUEST_ERRORS[fault.code].status, code: fault.code };
  return { ...shown, message: fault.message, param: fault.errors[0]?.path ?? null };
}

/** The dialect's own members for a fault, for replies that have already begun. */
export function faultMembers(dialect: FaultDialect, fault: ApiError): Record<string, unknown> {
  return dialect(requestFaultOf(fault)).members;
}

/**
 * A fault as the clients of this path read it: a problem document with their own members beside
 * its, as `application/json`, for several clients parse nothing else. null where the
 * request has no dialect.
 */
export function contractFault(c: AppContext, fault: ApiError): Response | null {
  const dialect = c.get("dialect");
  if (dialect === undefined) return null;
  const requestFault = requestFaultOf(fault);
  const { status, members } = dialect(requestFault);
  const item = fault instanceof Unjudged && {
    type: problemType(c, requestFault.code),
    title: fault.title,
    code: requestFault.code,
  };
  const problem = problemResponse(c, fault, { ...item, status, ...members });
  problem.headers.set("content-type", "application/json");
  return new Response(problem.body, { status, headers: problem.headers });
}
