// Error replies in the dialect of the calling client. The dialects are in dialects.ts.
import { type ApiError, REQUEST_ERRORS } from "../../../core/faults/errors.ts";
import type { FaultDialect, RequestFault } from "../../door/dialect.ts";
import { problemResponse, problemType } from "../../door/problem.ts";
import type { AppContext } from "../../door/scope.ts";
import { Unjudged } from "./unjudged.ts";

/** Sets the dialect of the request's errors, for paths that two dialects share. */
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

/** The dialect's members for an error, for replies that have already started. */
export function faultMembers(dialect: FaultDialect, fault: ApiError): Record<string, unknown> {
  return dialect(requestFaultOf(fault)).members;
}

/**
 * The error reply in the path's dialect: a problem document with the dialect's members added. Sent as
 * `application/json`, because several clients parse no other type. Null if the request has no dialect.
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
