// Reads whose words a message holds from its role, however the role is spelled. A role that is not
// known counts as the policy's, so that its words are never evidence.

/** `own`: the policy. `result`: a tool's result. `other`: system, user, environment. */
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

/** A role without case, blanks, hyphens and underscores: `Tool-Result` as `toolresult`. */
const bare = (role: string): string =>
  role
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "");

/** The author that a role names; null for an unknown one. A missing role is the policy's. */
export function roleKind(role: unknown): RoleKind | null {
  if (role === undefined || role === null || role === "") return "own";
  return typeof role === "string" ? (KIND_OF.get(bare(role)) ?? null) : null;
}

/** Whether a message names the policy as its author; one without a role does not. */
export const namesPolicy = (role: unknown): boolean => typeof role === "string" && KIND_OF.get(bare(role)) === "own";

/** Whether a message holds a tool's result. */
export const namesResult = (role: unknown): boolean => roleKind(role) === "result";
