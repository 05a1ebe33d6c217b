// Log lines of unexpected faults: where they happened, never their words.

/**
 * A log line for an unexpected error: its class and its frames, never its message, which may quote
 * a model's text.
 */
export function faultLine(thrown: unknown, requestId: string): Record<string, unknown> {
  const error = thrown instanceof Error ? thrown : new Error(typeof thrown);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    level: "error",
    event: "unexpected_error",
    request_id: requestId,
    name: error.name,
    frames: frames.slice(0, 8),
  };
}
