// Error replies in the format of the calling tool. The formats are defined in dialects.ts.
import { type ApiError, REQUEST_ERRORS } from "../../../core/faults/errors.ts";
import type { FaultDialect, RequestFault } from "../../door/dialect.ts";
import { problemResponse, problemType } from "../../door/problem.ts";
import type { AppContext } from "../../door/scope.ts";
import { Unjudged } from "./unjudged.ts";

/** Sets the error format of a request, for paths that two tools use. */
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

/** The members that a dialect adds for an error, for replies that have already started. */
export function faultMembers(dialect: FaultDialect, fault: ApiError): Record<string, unknown> {
  return dialect(requestFaultOf(fault)).members;
}

/**
 * The error reply in the request's dialect: a problem document with additional members. Its content type is
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
