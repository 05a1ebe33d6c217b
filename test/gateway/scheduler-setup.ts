// Helpers shared by the scheduler's tests: one over a fake pool, and jobs whose events are kept. Must not
// hold any test.
import { Job } from "../../gpu-backend/gateway/scheduling/job.ts";
import { Scheduler } from "../../gpu-backend/gateway/scheduling/scheduler.ts";
import { ServiceEstimate } from "../../gpu-backend/gateway/scheduling/service-estimate.ts";
import type { VerifyEvent, VerifyRequest } from "../../src/core/wire/verify-protocol.ts";
import { FakePool, voteFor } from "./fake-pool.ts";

/** A scheduler over a fake pool, and jobs whose events are kept. */
export function setUp(capacity: number) {
  const pool = new FakePool(capacity);
  const scheduler = new Scheduler(pool, new ServiceEstimate(() => 0));
  let requests = 0;
  const submit = (asks: VerifyRequest, { reader = { full: false }, party = "" } = {}) => {
    const events: VerifyEvent[] = [];
    const emit = (event: VerifyEvent) => events.push(event);
    const arrived_at = ++requests;
    const options = {
      tenant: party || `caller ${arrived_at}`,
      arrived_at,
      now: () => 0,
      emit,
      full: () => reader.full,
    };
    const job = new Job(asks, options);
    scheduler.add(job);
    return { job, events };
  };
  /** Answers everything that is running now; the scheduler then fills the places again. */
  const round = async (letter = "A") => {
    for (const call of pool.open) call.answer(voteFor(letter));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { pool, scheduler, submit, round };
}

/** The candidates that a prompt shows, as their group and number. */
export const shown = (prompt: string) => [...prompt.matchAll(/candidate (\d+) of (\w+)/g)].map((m) => `${m[2]}${m[1]}`);
