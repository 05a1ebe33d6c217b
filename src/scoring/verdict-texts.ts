// Decides which words of a verifier are kept: cut one by one, and bounded for a request.
import { LIMITS } from "../core/faults/limits.ts";
import { cutText } from "../core/text/cut-text.ts";

/** Verdict texts kept for one request whose spec says log_verdicts. The first to arrive are kept first. */
export class VerdictTexts {
  private left: number;
  /** Some were left out, as all together were too long. */
  dropped = false;

  /** @param chars of all that is kept together */
  constructor(chars: number = LIMITS.logged_verdicts_chars) {
    this.left = chars;
  }

  /** What is kept of a verifier's answer; null: nothing. */
  keep(answer: string): string | null {
    const text = cutText(answer, LIMITS.logged_verdict_chars);
    if (text.length > this.left) {
      this.dropped = true;
      return null;
    }
    this.left -= text.length;
    return text;
  }
}
