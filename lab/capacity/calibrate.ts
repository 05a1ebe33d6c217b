// Takes what a load test measured into the model: the edge's time, tokens, and the engine's pace by its load.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mean } from "../../src/core/math/stats.ts";
import { FILES } from "../loadtest/outputs.ts";
import { type Side, type Summary, SummarySchema } from "../loadtest/summary-schema.ts";
import type { Setting } from "./setting.ts";

/** One load at which the engine was seen. */
interface Seen {
  /** Generations at the engine at a time. */
  streams: number;
  /** Seconds of one token of one of them. */
  token_s: number;
}

/** By Little's law: generations a second x how long one takes. */
function seenAt({ split_ms, generations_per_s, completion_tokens_per_reward, rewards_per_s }: Side): Seen | null {
  const [ms, rate, rewards] = [split_ms.generation, generations_per_s.value, rewards_per_s.value];
  if (!ms || !rate || !rewards || !completion_tokens_per_reward) return null;
  const tokens = (completion_tokens_per_reward * rewards) / rate;
  return { streams: (rate * ms) / 1_000, token_s: ms / 1_000 / Math.max(1, tokens) };
}

/** Least squares; of one load a level line. */
function lineThrough(seen: readonly Seen[]): { alone_s: number; more_s: number } {
  const [x, y] = [mean(seen.map(({ streams }) => streams)), mean(seen.map(({ token_s }) => token_s))];
  const spread = seen.reduce((sum, { streams }) => sum + (streams - x) ** 2, 0);
  const both = seen.reduce((sum, { streams, token_s }) => sum + (streams - x) * (token_s - y), 0);
  const more_s = spread === 0 ? 0 : Math.max(0, both / spread);
  return { alone_s: Math.max(1e-6, y - more_s * x), more_s };
}

/** The setting with the summary's measurements instead of assumptions. @throws Error without measurements */
export function calibratedBy(setting: Setting, summary: Summary): Setting {
  const held = summary.points.filter(({ overloaded }) => overloaded.length === 0);
  const sides = (held.length > 0 ? held : summary.points).map(({ target }) => target);
  const seen = sides.map(seenAt).filter((point) => point !== null);
  if (seen.length === 0)
    throw new Error("the load test recorded no generation times: run it with --kind rewards or gateway");
  const { alone_s, more_s } = lineThrough(seen);
  const part = (name: "edge" | "network") => mean(sides.map(({ split_ms }) => (split_ms[name] ?? 0) / 1_000));
  const { tokens, engine, gpus } = setting;
  const per = (name: "completion_tokens_per_reward" | "prompt_tokens_per_reward") =>
    mean(
      sides.map((side) => ((side[name] ?? 0) * (side.rewards_per_s.value ?? 0)) / (side.generations_per_s.value || 1)),
    );
  const [completion, prompt] = [per("completion_tokens_per_reward"), per("prompt_tokens_per_reward")];
  const context = prompt + completion / 2;
  const shown = Math.max(1, prompt - tokens.template - tokens.question);
  return {
    ...setting,
    client_rtt_s: part("network"),
    edge_before_s: part("edge") / 2,
    edge_after_s: part("edge") / 2,
    tokens: { ...tokens, law: "exponential", mean: Math.max(1, completion), candidate: Math.round(shown / 2) },
    engine: {
      ...engine,
      step_overhead_s: 0,
      weights_read_s: alone_s,
      kv_read_s: (more_s * gpus) / Math.max(1, context),
    },
  };
}

/** The same by a load test's folder (`npm run loadtest -- --out FOLDER`). */
export function calibrated(setting: Setting, folder: string): Setting {
  const file = join(folder, FILES.summary);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new Error(`--calibrate ${folder}: no ${FILES.summary}; npm run loadtest -- --out FOLDER writes one`);
  }
  return calibratedBy(setting, SummarySchema.parse(JSON.parse(text)));
}
