// Formats the Worker's JSON log lines for a terminal.

/** The JSON line that the Worker logs for a request. */
interface RequestLine {
  method: string;
  path: string;
  /** Null: the client disconnected before the reply. */
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

/** The result of scoring: counts, then missing rewards and their reasons. */
function scoredParts(line: RequestLine): string[] {
  const { groups, rollouts, rewards = 0, reward_mean, verifier_calls, nulls, failed, reasons = [] } = line;
  if (rollouts === undefined) return [];
  const suffix = reward_mean == null ? "" : ` (mean ${Number(reward_mean.toPrecision(3))})`;
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
    ...(client_gone ? ["client disconnected"] : []),
    ...(broken_off === undefined ? [] : [`aborted: ${broken_off}`]),
  ];
  return [`${method} ${path}`, ...ends, `${total_ms} ms`, key_name ?? "no key", ...scoredParts(line)].join("  ");
}

/**
 * The message of a thrown value. Databases and file systems in WebAssembly throw objects that are not Errors,
 * with a number instead of a message.
 */
export function thrownText(thrown: unknown): string {
  if (thrown instanceof Error && thrown.message !== "") return thrown.message;
  if (!isObject(thrown)) return String(thrown);
  const { name, message, code, errno } = thrown;
  const number = typeof errno === "number" ? `errno ${errno}` : null;
  const word = errno === WASI_ENOSPC ? "no space left on the disk" : number;
  const parts = [name, code, message, word].filter((part) => typeof part === "string" && part !== "");
  return parts.length > 0 ? [...new Set(parts)].join(": ") : "unknown error";
}

/** The errno for a full disk in WebAssembly's file systems. */
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
 * Formats one line of the Worker's log: a request with method, path, status, time, key, rewards and the
 * reasons for missing rewards; another event with its level and fields. Text that is not an event is
 * unchanged.
 * @param at when the line was logged
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
