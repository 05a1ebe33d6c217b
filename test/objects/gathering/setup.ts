// Samples and rooms for the group-room tests.

import { DEFAULT_SPEC, type FlatSpec } from "../../../src/core/contract/spec.ts";
import { BUILT_IN_DEFAULT } from "../../../src/core/reward/default-spec.ts";
import type { Spec } from "../../../src/core/reward/spec.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import type { ClientProbe, GatheredSample } from "../../../src/objects/gathering/gathering.ts";
import { createLocalRunObjects } from "../../../src/objects/run-objects/run-objects.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import { completeJudging } from "../../../src/scoring/complete-judging.ts";
import { fenced, longest } from "../../api/routes/harness.ts";
import { type FakeVerifierOptions, fakeRunLog, fakeVerifier, fixedClock, type Script } from "../../harness/fakes.ts";

let waiters = 0;

/** A sample of `code`; requests with equal codes have equal bodies. */
export function sampleOf(code: string, more: Partial<GatheredSample> = {}): GatheredSample {
  return {
    room: "0123456789abcdef0123",
    waiter_id: `waiter-${waiters++}`,
    body_hash: `hash of ${code}`,
    prompt: "p",
    language: null,
    rollout: { text: fenced(code) },
    spec: BUILT_IN_DEFAULT,
    run_id: "run",
    step: 3,
    key_name: "key",
    group_size: null,
    // A group that its size closes shall not be closed by the window, however slowly a busy machine sends it.
    window_ms: (more.group_size ?? null) === null ? 30 : 60_000,
    answer_within_ms: 10_000,
    retain_ms: 60_000,
    tries: 1,
    patience_ms: 1_000,
    takes_failure: false,
    whole_only: false,
    ...more,
  };
}

export const specOf = (more: Partial<FlatSpec>): Spec => ofFlat({ ...DEFAULT_SPEC, ...more });

/** A probe that is answered by hand. */
export function heldProbe() {
  const asked = Promise.withResolvers<void>();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const probe: ClientProbe = () => {
    asked.resolve();
    return promise;
  };
  return { probe, asked: asked.promise, say: resolve };
}

export const never = () => new AbortController().signal;

/** Fakes that judge: the longer program wins unless the script says otherwise. */
export function judgingDeps(script: Script = longest, options: FakeVerifierOptions = {}, timers: Timers = systemClock) {
  const lines: Record<string, unknown>[] = [];
  const report = (line: Record<string, unknown>) => void lines.push(line);
  const clock = { ...fixedClock(), after: timers.after };
  const parts = { verifier: fakeVerifier(script, options), runLog: fakeRunLog(), clock, timers };
  // `EARLY_JUDGING=on npx vitest ..`: every guarantee of rooms holds with it as without.
  const early_judging = process.env.EARLY_JUDGING === "on";
  const judging = completeJudging({ ...parts, early_judging, report });
  return { ...judging, ...parts, runObjects: createLocalRunObjects(timers), lines };
}
