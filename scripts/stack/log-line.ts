// A Worker's log line as a person reads it in a terminal.

/** A request's line as the Worker writes it. */
interface RequestLine {
  method: string;
  path: string;
  /** Null: its client went before there was one. */
  status: number | null;
  client_gone?: true;
  refused?: string;
  broken_off?: string;
  total_ms: number;
  key_name: string | null;
  groups?: number;
  rollouts?: number;
  rewards?: number;
  reward_mean?: number | null;
  verifier_calls?: number;
  nulls?: Record<string, number>;
  failed?: Record<string, number>;
  reasons?: string[];
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const byCode = (counts: Record<string, number> = {}, what: string) =>
  Object.entries(counts).map(([code, count]) => `${count} ${what}: ${code}`);

/** The result of the scoring, the counts first, then missing rewards and why. */
function scoredParts(line: RequestLine): string[] {
  const { groups, rollouts, rewards = 0, reward_mean, verifier_calls, nulls, failed, reasons = [] } = line;
  if (rollouts === undefined) return [];
  const suffix = reward_mean == null ? "" : ` of mean ${Number(reward_mean.toPrecision(3))}`;
  return [
    ...(groups === undefined ? [] : [counted(groups, "group")]),
    counted(rollouts, "rollout"),
    `${counted(rewards, "reward")}${suffix}`,
    ...(verifier_calls === undefined ? [] : [counted(verifier_calls, "verifier call")]),
    ...byCode(nulls, "null"),
    ...byCode(failed, "not answered"),
    ...reasons.map((reason) => `verifier: ${reason}`),
  ];
}

function requestText(line: RequestLine): string {
  const { method, path, status, total_ms, key_name, client_gone, refused, broken_off } = line;
  const ends = [
    ...(status === null ? [] : [`${status}`]),
    ...(refused === undefined ? [] : [refused]),
    ...(client_gone ? ["client gone"] : []),
    ...(broken_off === undefined ? [] : [`broken off: ${broken_off}`]),
  ];
  return [`${method} ${path}`, ...ends, `${total_ms} ms`, key_name ?? "no key", ...scoredParts(line)].join("  ");
}

/**
 * A thrown value, in words: a database or a file system of WebAssembly throws objects other than Error, with
 * a number in place of a message.
 */
export function thrownText(thrown: unknown): string {
  if (thrown instanceof Error && thrown.message !== "") return thrown.message;
  if (!isObject(thrown)) return String(thrown);
  const { name, message, code, errno } = thrown;
  const number = typeof errno === "number" ? `errno ${errno}` : null;
  const word = errno === WASI_ENOSPC ? "no space left on the disk" : number;
  const parts = [name, code, message, word].filter((part) => typeof part === "string" && part !== "");
  return parts.length > 0 ? [...new Set(parts)].join(": ") : "a fault that says nothing of itself";
}

/** A disk that is full, as WebAssembly's file systems number it. */
const WASI_ENOSPC = 51;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * One line for one of the Worker's: a request with its method, path, status, time, key, its rewards, and
 * missing ones with the reason; any other with its level, its event and the rest. Other text stays as it is.
 * @param at when it came
 * @returns the text, and whether it describes a request
 */
export function terminalLine(line: string, at: Date): { text: string; request: boolean } {
  const said = parsed(line);
  if (!isObject(said) || typeof said.event !== "string") return { text: line, request: false };
  const time = at.toTimeString().slice(0, 8);
  if (said.event === "request")
    return { text: `${time}  ${requestText(said as unknown as RequestLine)}`, request: true };
  const { level, event, ...rest } = said;
  return { text: `${time}  ${level}  ${event}  ${JSON.stringify(rest)}`, request: false };
}
