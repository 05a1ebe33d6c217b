// Owns what becomes of a session's samples whose question no answer can matter of any more: which
// of them are still to be sent, and what ends those that run. Must not know HTTP.
import { type Answered, failed } from "../../core/wire/chat-answer.ts";
import type { Countable, RunningJob, SampleLine, Task } from "./queue.ts";
import type { Outcome } from "./refusal.ts";
import type { RetryLine } from "./retry-line.ts";

/** A sample that nobody waits for any more, and the tokens that it cost until then. */
export const leftOut = (completion_tokens = 0): Answered & { saved: true } => ({
  ...failed("cancelled"),
  error: null,
  saved: true,
  completion_tokens,
});

const isObsolete = <J extends Countable>({ question }: Task<J>): boolean => question.obsolete?.aborted === true;

/** What a task's request ends by. The one that tells whether a backend is back is not ended. */
export function endOf<J extends Countable>({ question, probe }: Task<J>, session: AbortSignal): AbortSignal {
  return question.obsolete === undefined || probe ? session : AbortSignal.any([session, question.obsolete]);
}

/** Whether a request came to nothing because nobody waits for it: that says nothing of a backend. */
export const wasEnded = <J extends Countable>(task: Task<J>, { answered }: Outcome): boolean =>
  isObsolete(task) && !task.probe && answered.error !== null;

/** Calls `onLeft` for each sample of the job that is not running when its question becomes obsolete. */
export function watchObsolete<J extends Countable>(
  running: RunningJob<J>,
  { line, retries }: { line: SampleLine<J>; retries: RetryLine<J> },
  onLeft: (left: readonly Task<J>[]) => void,
): void {
  for (const question of running.job.questions) {
    const take = () =>
      onLeft([
        ...line.takeOut(running, question),
        ...retries.takeOut((task) => task.running === running && task.question === question),
      ]);
    if (question.obsolete?.aborted === true) take();
    else question.obsolete?.addEventListener("abort", take);
  }
}
