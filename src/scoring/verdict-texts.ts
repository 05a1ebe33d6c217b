// Limits the verifier texts to log: each text is cut, and the total per request is bounded.
import { LIMITS } from "../core/faults/limits.ts";
import { cutText } from "../core/text/cut-text.ts";

/**
 * Collects verdict texts for one request whose spec sets log_verdicts. The first texts to arrive are kept.
 */
export class VerdictTexts {
  private left: number;
  /** Whether some texts were dropped because the total was too long. */
  dropped = false;

  /** @param chars maximum total length of the kept texts, characters */
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
