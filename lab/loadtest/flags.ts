// Reads the command line: texts into values, and the rules between flags. The flags themselves:
// flag-table.ts.
import * as z from "zod";
import { FlagFault, readFlags as readFlagsBy } from "../../gpu-backend/flags.ts";
import { isLoopbackHost } from "../../gpu-backend/gateway/http/access.ts";
import { LOADTEST_LIMITS } from "./flag-schemas.ts";
import { FLAGS, type FlagValues } from "./flag-table.ts";
import { carriesKey } from "./target-url.ts";

const SCHEMA = z.object(Object.fromEntries(Object.entries(FLAGS).map(([name, { schema }]) => [name, schema])));

/** @throws FlagFault */
export function readFlags(argv: readonly string[]): FlagValues {
  const unsaid = Object.keys(FLAGS).filter((name) => name.endsWith("key-env"));
  const { flags, given } = readFlagsBy(SCHEMA, argv, { unsaid });
  const values = flags as FlagValues;
  const faults = values.help || values["self-test"] ? [] : contradictions(values, given);
  if (faults.length > 0) throw new FlagFault(faults.join("\n"));
  return values;
}

/**
 * Standard deviations of a random number of arrivals that a slice must have room for: a run must
 * not end in its middle by chance.
 */
const CHANCE = 6;

/** The arrivals that a slice at the rate may have. */
function arrivalsMost({ arrivals, shape, warmup, duration }: FlagValues, rate: number): number {
  const expected = rate * (warmup + duration);
  if (arrivals !== "poisson" && arrivals !== "gamma") return expected;
  return expected + CHANCE * Math.sqrt(expected / (arrivals === "gamma" ? shape : 1));
}

/** Where the key of each address is read. */
const KEY_OF = { target: "--key-env", verifier: "the variable VERIFIER_API_KEY", baseline: "--baseline-key-env" };

/** Faults of several flags: flags that need or exclude one another, hosts, and the size of a slice. */
function contradictions(flags: FlagValues, given: Readonly<Record<string, unknown>>): string[] {
  const { arrivals, concurrency, sweep, ramp, trace, target, verifier, baseline } = flags;
  const faults: string[] = [];
  const need = (isFine: boolean, message: string) => {
    if (!isFine) faults.push(message);
  };
  need(
    (target === undefined) !== (verifier === undefined),
    "give either --target or --verifier: the URL of the server to test",
  );
  need(
    verifier === undefined || flags.model !== undefined,
    "--verifier needs --model, the name of the model it serves",
  );
  need(
    verifier === undefined || flags.kind !== "engine",
    "--kind engine tests a server directly: pass it as --target, not --verifier",
  );
  need((arrivals === "ramp") === (ramp !== undefined), "--arrivals ramp and --ramp FROM:TO must be given together");
  need((arrivals === "trace") === (trace !== undefined), "--arrivals trace and --trace FILE must be given together");
  need(given.shape === undefined || arrivals === "gamma", "--shape requires --arrivals gamma");
  need(sweep === undefined || given.rate === undefined, "--sweep and --rate exclude each other: give one of them");
  need(
    sweep === undefined || !["ramp", "trace"].includes(arrivals),
    `--sweep cannot be combined with --arrivals ${arrivals}`,
  );
  need(sweep === undefined || sweep[0] < sweep[1], "--sweep FROM:TO: FROM must be below TO");
  need(
    concurrency === 0 || (sweep === undefined && given.rate === undefined && given.arrivals === undefined),
    "--concurrency (closed loop) cannot be combined with --rate, --arrivals or --sweep",
  );
  need(baseline !== undefined || flags["baseline-key-env"] === undefined, "--baseline-key-env requires --baseline URL");
  const size = flags["group-size"];
  need(
    flags.mode === "pairwise" || size === undefined || size <= 5,
    "--group-size must be at most 5 with --mode listwise",
  );
  const rate = Math.max(...(sweep ?? ramp ?? [flags.rate]));
  const maxRequests = LOADTEST_LIMITS.slice_requests_max;
  need(
    concurrency > 0 || arrivals === "trace" || arrivalsMost(flags, rate) <= maxRequests,
    `--rate ${rate} for ${flags.warmup + flags.duration} s exceeds the limit of ${maxRequests} requests per slice: shorten --duration`,
  );
  for (const [name, url] of [
    ["target", target],
    ["verifier", verifier],
    ["baseline", baseline],
  ] as const) {
    if (url === undefined) continue;
    const { hostname, search, hash } = new URL(url);
    need(!carriesKey(url), `--${name} must not carry a key: use ${KEY_OF[name]}`);
    need(search === "" && hash === "", `--${name} must not have a query or fragment: they are not sent`);
    need(
      isLoopbackHost(hostname) || flags["allow-host"].includes(hostname),
      `--${name}: ${hostname} is not a loopback address; allow it with --allow-host`,
    );
  }
  return faults;
}
