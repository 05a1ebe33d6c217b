// Limits how much of the verifier's answers is logged: each answer is truncated, and the total is bounded.
import { LIMITS } from "../core/faults/limits.ts";
import { cutText } from "../core/text/cut-text.ts";

/**
 * Collects the verifier's answers for one request whose spec sets `log_verdicts`. Answers that arrive after
 * the total is reached are dropped.
 */
export class VerdictTexts {
  private left: number;
  /** Whether some answers were dropped because the total was too long. */
  dropped = false;

  /** @param chars maximum total length, in characters */
  constructor(chars: number = LIMITS.logged_verdicts_chars) {
    this.left = chars;
  }

  /** Returns the part of a verifier's answer to log; null if nothing fits. */
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
