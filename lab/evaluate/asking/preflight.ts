// Looks whether a target can answer before a run begins: a set is many requests, and the first one
// may take minutes to fail.
import { assertAnswers } from "../../loadtest/reachable.ts";

/** The part of GET /readyz that is read. */
interface Readiness {
  ready?: boolean;
  checks?: Record<string, { ok?: boolean; detail?: string }>;
}

/**
 * @throws Error where the target does not answer, or where it says that it is not ready, with what it lacks.
 * A server without /readyz is asked all the same.
 */
export async function assertReady(target: string, signal: AbortSignal): Promise<void> {
  await assertAnswers("--target", target, signal);
  const readiness = await readinessOf(`${target}/readyz`, signal);
  if (readiness?.ready !== false) return;
  const lacking = Object.entries(readiness.checks ?? {}).flatMap(([name, { ok, detail }]) =>
    ok === false ? [`${name}: ${detail ?? "not ok"}`] : [],
  );
  throw new Error(`--target ${target} is not ready (${lacking.join("; ") || "no reason given"}); no request was sent`);
}

async function readinessOf(url: string, signal: AbortSignal): Promise<Readiness | null> {
  try {
    return (await (await fetch(url, { signal })).json()) as Readiness;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}
