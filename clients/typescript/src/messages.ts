// The form in which a rollout of several turns is sent. The server reads every other form of its
// documentation's page on trajectories too, as it is.

/** A call of a tool, with its arguments as the policy wrote them, JSON or not. */
export interface ToolCall {
  id?: string;
  type?: string;
  function: { name: string; arguments: string };
}

/** A message in OpenAI's chat form; a result has the role `tool` and its call's `tool_call_id`. */
export interface ChatMessage {
  role: string;
  content?: string | null | readonly object[];
  /** The policy's thoughts: shown to a verifier only where the spec says so. */
  reasoning_content?: string | null;
  tool_calls?: readonly ToolCall[] | null;
  tool_call_id?: string;
  name?: string;
}

/** Chat messages, Responses items, Anthropic messages; ATIF's steps or verifiers' turns. */
export type Messages = readonly ChatMessage[] | readonly object[];

/** Messages, or the object of a whole run: ATIF's with its `steps`, verifiers' with its `trajectory`. */
export type Trajectory = Messages | { readonly [field: string]: unknown };
