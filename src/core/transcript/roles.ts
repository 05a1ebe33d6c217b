// Maps the role of a message to its author, for many spellings of roles. A message with an unknown role is
// attributed to the policy, so that it is never treated as evidence.

/** The author: `own` is the policy, `result` a tool, and `other` the system, the user or the environment. */
type RoleKind = "own" | "result" | "other";

const SPELLINGS: readonly (readonly [RoleKind, readonly string[]])[] = [
  ["own", ["assistant", "agent", "model", "ai", "gpt", "bot", "chatbot", "llm", "policy", "aimessage"]],
  ["own", ["aimessagechunk", "assistantmessage", "agentmessage"]],
  ["result", ["tool", "tools", "function", "ipython", "observation", "toolmessage", "functionmessage"]],
  ["result", ["toolresult", "toolresults", "toolresponse", "tooloutput", "toolcallresult", "toolcalloutput"]],
  ["result", ["functionresult", "functionresponse", "functionoutput", "functioncalloutput", "executionresult"]],
  ["other", ["user", "human", "system", "developer", "environment", "env", "usermessage", "humanmessage"]],
  ["other", ["systemmessage", "developermessage", "simulator", "usersimulator", "platform", "root"]],
];
const KIND_OF: ReadonlyMap<string, RoleKind> = new Map(
  SPELLINGS.flatMap(([kind, names]) => names.map((name) => [name, kind] as const)),
);

/**
 * Normalises a role by ignoring case, white space, hyphens and underscores: `Tool-Result` becomes
 * `toolresult`.
 */
const bare = (role: string): string =>
  role
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "");

/** The author for a role; null for an unknown role. A message without a role is attributed to the policy. */
export function roleKind(role: unknown): RoleKind | null {
  if (role === undefined || role === null || role === "") return "own";
  return typeof role === "string" ? (KIND_OF.get(bare(role)) ?? null) : null;
}

/** Whether a role explicitly names the policy. False for a missing role. */
export const namesPolicy = (role: unknown): boolean => typeof role === "string" && KIND_OF.get(bare(role)) === "own";

/** Whether a role marks a tool's result. */
export const namesResult = (role: unknown): boolean => roleKind(role) === "result";
