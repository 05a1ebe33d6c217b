// Helpers shared by the contract tests: documents of known rank, verifiers that fail, one reader of replies.
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { ItemErrorCode } from "../../../src/core/faults/errors.ts";
import { fakeVerifier, type Script } from "../../harness/fakes.ts";
import { fenced, longest } from "../routes/harness.ts";

export { fenced, longest, setUp } from "../routes/harness.ts";

/** Worst, best, middle: the fake verifier prefers the longer program. */
export const PROGRAMS = [fenced("1"), fenced("123"), fenced("12")];
export const TEXTS = ["one", "three of them", "two now"];

/** Every comparison that shows a candidate for which `hit` holds fails. */
export const failingOn =
  (hit: (candidate: string) => boolean, error: ItemErrorCode): Script =>
  (shown, about) =>
    shown.some(hit) ? { error } : longest(shown, about);

export const failing = (error: ItemErrorCode): Script => failingOn(() => true, error);

/** A verifier that never answers: what ends it is the deadline or the client. */
export const silent = () => fakeVerifier(longest, { gate: new Promise(() => undefined) });

/** A reply of 200, in its documented shape and nothing besides. */
export async function replyOf<S extends z.ZodType>(schema: S, response: Response): Promise<z.output<S>> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  const body = JSON.parse(text);
  const parsed = schema.parse(body);
  if (!isDeepStrictEqual(parsed, body)) throw new Error(`undocumented fields: ${text}`);
  return parsed;
}

export interface Fault {
  status: number;
  code: string;
  message?: string;
  detail: string;
  error?: unknown;
  error_type?: string;
  request_id: string;
  retryable: boolean;
  errors?: { path: string; message: string }[];
}

/**
 * An error's body, after checking that every client can read it: JSON by its type, with the id of
 * its request.
 */
export async function faultOf(response: Response, status: number): Promise<Fault> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status} instead of ${status}: ${text}`);
  if (response.headers.get("content-type") !== "application/json") throw new Error("not application/json");
  const body = JSON.parse(text) as Fault;
  if (body.request_id !== response.headers.get("x-request-id")) throw new Error("the request ids differ");
  if (body.status !== status) throw new Error("the document's status is not the reply's");
  return body;
}
