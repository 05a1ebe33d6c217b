// Owns a Worker's log line as a person reads it in a terminal. Knows no stack.

interface RequestLine {
  method: string;
  path: string;
  status: number;
  total_ms: number;
  key_name: string | null;
  groups?: number;
  rollouts?: number;
  verifier_calls?: number;
  nulls?: Record<string, number>;
}

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

function requestText({
  method,
  path,
  status,
  total_ms,
  key_name,
  groups,
  rollouts,
  verifier_calls,
  nulls = {},
}: RequestLine): string {
  const scored =
    groups === undefined
      ? []
      : [counted(groups, "group"), counted(rollouts ?? 0, "rollout"), counted(verifier_calls ?? 0, "verifier call")];
  const missing = Object.entries(nulls).map(([code, count]) => `${count} null: ${code}`);
  return [`${method} ${path}`, `${status}`, `${total_ms} ms`, key_name ?? "no key", ...scored, ...missing].join("  ");
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * One line for one of the Worker's: a request with its method, path, status, time, key, what was
 * scored and what has no reward, by code; any other with its level, its event and the rest. A text
 * that is no such line stays as it is.
 * @param at when it came
 * @returns the text, and whether it tells of a request
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
