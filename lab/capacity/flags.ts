// The flags of `npm run lab -- capacity`, and the setting that they make.
import {
  engineParameters,
  GPU_NAMES,
  MODEL_NAMES,
  noiseParameters,
} from "../../gpu-backend/engines/simulator/parameters.ts";
import { commandFlags, wholeNumber } from "../../scripts/command-line/flags.ts";
import { nearest } from "../../src/core/faults/suggestion.ts";
import { SCHEDULES } from "../../src/core/tournament/schedules/table.ts";
import { calibrated } from "./calibrate.ts";
import { type Setting, STANDARD } from "./setting.ts";

const oneOf = (names: readonly string[]) => (text: string) =>
  names.includes(text) ? null : `must be one of ${names.join(", ")}, not '${text}'`;

function schedule(text: string): string | null {
  if (text in SCHEDULES) return null;
  const near = nearest(text, Object.keys(SCHEDULES));
  return `unknown schedule ${text}${near === null ? "" : `; did you mean ${near}?`}`;
}

export const readFlags = (argv: readonly string[] = process.argv.slice(2)) =>
  commandFlags(
    {
      command: "capacity",
      call: "npm run lab -- capacity",
      description:
        "Estimates how many GPUs a training step needs, with a discrete-event simulation of edge, gateway, engines and autoscaler (lab/results/capacity.md). A rate of 0 means the rate of --model and --gpu.",
      numbers: {
        groups: wholeNumber(1, 4_096, 256, "groups per step"),
        rollouts: wholeNumber(2, 64, 16, "rollouts per group"),
        seconds: { min: 0.1, max: 86_400, value: 60, help: "target duration of a step" },
        samples: wholeNumber(1, 64, 1, "generations per comparison"),
        "thinking-tokens": wholeNumber(0, 100_000, 0, "median tokens of an answer; 0: no thinking"),
        "max-tokens": wholeNumber(1, 32_000, 4_096, "token limit of an answer"),
        "question-tokens": wholeNumber(1, 16_000, 400, "tokens of the prompt that the candidates answer"),
        "candidate-tokens": wholeNumber(1, 8_000, 700, "tokens of a candidate in the judge's prompt"),
        "prefill-rate": { min: 0, max: 1e9, value: 0, help: "prefill throughput of one GPU, tokens per second" },
        "decode-rate": { min: 0, max: 1e6, value: 0, help: "decode throughput of one stream, tokens per second" },
        "full-rate": {
          min: 0,
          max: 1e9,
          value: 0,
          help: "decode throughput of 64 concurrent streams, tokens per second",
        },
        slots: wholeNumber(0, 4_096, 0, "maximum concurrent sequences of one engine"),
        "in-flight": wholeNumber(1, 1_024, 256, "maximum in-flight generations per engine (ENGINE_MAX_IN_FLIGHT)"),
        "rtt-ms": { min: 0, max: 10_000, value: 20, help: "round-trip time between edge and gateway (or engine)" },
        gpus: wholeNumber(0, 4_096, 0, "estimate the step time on this many GPUs; 0: find the fewest GPUs"),
        "most-gpus": wholeNumber(1, 4_096, 1_024, "maximum GPUs to try"),
        seeds: wholeNumber(1, 100, 5, "simulations per figure, each with its own seed"),
        seed: wholeNumber(0, 2 ** 31, 1, "first random seed"),
      },
      texts: {
        model: { value: "sim-14b", fault: oneOf(MODEL_NAMES), help: "size of the verifier" },
        gpu: { value: "h200", fault: oneOf(GPU_NAMES), help: "GPU type" },
        schedule: { value: "round_robin", fault: schedule, help: "the schedule of comparisons" },
        protocol: {
          value: "verify",
          fault: oneOf(["verify", "openai"]),
          help: "protocol to the verifier: verify or openai",
        },
        calibrate: { value: "", help: "folder with load test results: use its measured edge and engine" },
        checked: { value: "", help: "output file of --check --json, for --page" },
        page: { value: "", file: true, help: "write all tables and charts to this Markdown page" },
      },
      switches: {
        "both-orders": "judge every pair in both orders",
        "no-prefix-cache": "simulate engines without prefix cache",
        check: "compare the simulation with a real stack started locally; takes minutes",
        quick: "skip the largest steps of --page",
        json: "print the result as JSON",
      },
    },
    argv,
  );

export type Flags = ReturnType<typeof readFlags>;

const FULL = 64;

/** @throws Error for a calibration that cannot be read, or rates that no engine has */
export function settingOf(flags: Flags): Setting {
  const { calibrate, slots } = flags;
  const preset = engineParameters(flags.model as "sim-14b", flags.gpu as "h200");
  const thinking = flags["thinking-tokens"];
  const tokens = {
    ...STANDARD.tokens,
    ...{ question: flags["question-tokens"], candidate: flags["candidate-tokens"], max: flags["max-tokens"] },
  };
  const base = flags["decode-rate"] === 0 ? null : 1 / flags["decode-rate"];
  const context = tokens.template + tokens.question + 2 * tokens.candidate + thinking / 2;
  const step = base ?? preset.step_overhead_s + preset.weights_read_s;
  const full = flags["full-rate"];
  const perToken = full === 0 ? preset.kv_read_s : (FULL / full - step) / FULL / context;
  if (perToken < 0) throw new Error(`--full-rate ${full} is more than ${FULL} times --decode-rate`);
  const setting: Setting = {
    ...STANDARD,
    ...{ groups: flags.groups, rollouts: flags.rollouts, gpus: flags.gpus || 1, in_flight: flags["in-flight"] },
    ...{ protocol: flags.protocol as "verify", backend_rtt_s: flags["rtt-ms"] / 1_000, seed: flags.seed },
    judge: {
      ...STANDARD.judge,
      ...{ schedule: flags.schedule, samples: flags.samples, both_orders: flags["both-orders"] },
    },
    tokens,
    noise: { ...noiseParameters(flags.model as "sim-14b"), loop_rate: 0, thinking_median_tokens: thinking },
    engine: {
      ...preset,
      block_tokens: STANDARD.engine.block_tokens,
      ...(base !== null && { step_overhead_s: 0, weights_read_s: base }),
      ...(flags["prefill-rate"] > 0 && { token_compute_s: 1 / flags["prefill-rate"] }),
      ...(slots > 0 && { sequences_max: slots }),
      kv_read_s: perToken,
      prefix_cache: !flags["no-prefix-cache"],
    },
  };
  return calibrate === "" ? setting : calibrated(setting, calibrate);
}
