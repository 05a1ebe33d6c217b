// Asks an engine that has just come up one simple question, to check whether its answers can contain a
// verdict.
import { withTimeout } from "../../../src/platform/waiting.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import type { EngineAddress } from "./engine-address.ts";
import { engineBody } from "./engine-dialect.ts";
import { EngineStream } from "./engine-stream.ts";
import type { EngineKind } from "./gauges.ts";

const PATIENCE_MS = 120_000;
const MAX_TOKENS = 512;
const HIDDEN = "its reasoning parser takes whole answers for thoughts: no verdict can be read (--reasoning-parser)";

/**
 * Returns a human-readable description of a problem that would spoil every verdict; null if none is found, or
 * if the answer was cut or did not arrive. A complete answer that consists only of thinking indicates a
 * `--reasoning-parser` that waits for an end of thinking which the model never writes. Never rejects.
 */
export async function tryOut(
  engine: EngineAddress,
  model: string,
  kind: EngineKind | "other" | null,
  timers: Timers,
): Promise<string | null> {
  const settings = JSON.stringify({ model, temperature: 0, max_tokens: MAX_TOKENS });
  const messages = JSON.stringify([{ role: "user", content: "Reply with the letter A and nothing else." }]);
  const question = {
    body: engineBody(settings, [Buffer.from(`"messages":${messages}`)], kind, { priority: 0, rid: null, whole: false }),
    max_tokens: MAX_TOKENS,
    completion: false,
    anchor: null,
    whole: false,
    timers,
  };
  const { generation, reason } = await withTimeout(
    timers,
    PATIENCE_MS,
    (signal) => new EngineStream(engine, { ...question, signal }).done,
  );
  const { thinking, finish_reason, answer } = generation;
  return thinking === "unclosed" && finish_reason === "stop" && answer === "" ? HIDDEN : reason;
}
