// Log lines for unexpected errors. They contain the class and the stack frames but not the message, which may
// quote user text.

/**
 * Returns a log line with the class and stack frames of an unexpected error. Omits the message, because it
 * may quote a model's output.
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
