// The properties of every transcript, over random ones.
import { expect } from "vitest";
import { promptOf } from "../../../lab/templates/index.ts";
import { leastOf } from "../../../src/core/candidate/transcript/cut.ts";
import { evidenceOf, wholeView } from "../../../src/core/candidate/transcript/evidence.ts";
import { ownChars, regionsOf, unlikeBlocks, viewOf } from "../../../src/core/candidate/transcript/view.ts";
import type { Rollout } from "../../../src/core/contract/group.ts";
import { imagesNamed } from "../../../src/core/judges/image-parts.ts";
import { createRenderer } from "../../../src/core/judges/render.ts";
import { drained } from "../../../src/core/math/drained.ts";
import fc from "../../harness/property.ts";
import { budgets, rollouts } from "./transcripts.ts";

const HEAD = /\[(?:TURN|THOUGHT|CALL|RESULT|IMAGE|OTHER|FILE)_/g;
const CUT = /\[[\d,]+ characters left out\]/g;
const heads = (text: string): number => text.match(HEAD)?.length ?? 0;
const bare = (text: string): string => text.replaceAll("\u2060", "");
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const presets = fc.constantFrom("text-select", promptOf("ruler"), "code-select");

export function holdsOfAny(runs: number): void {
  fc.assert(
    fc.property(rollouts, budgets, fc.boolean(), presets, (sent, budget, reasoning, preset) => {
      const evidence = drained(evidenceOf(sent as unknown as Rollout[]));
      if (evidence === null) throw new Error("these have messages");
      for (const { turns, files } of evidence) {
        const all = [...regionsOf(turns), ...files];
        const view = viewOf(all, reasoning, budget);
        const regions = all.filter(({ is }) => reasoning || is !== "thoughts");
        expect(viewOf(all, reasoning, budget)).toEqual(view);
        // Nothing inside a block begins another, whatever the judge's own words break besides.
        expect(heads(view.text)).toBe(regions.length);
        const images = turns.flatMap(({ parts }) => parts).filter(({ kind }) => kind === "image");
        expect(imagesNamed(view.text)).toBe(images.length);
        const job = { question: "q", language: null, candidates: [view.text, "x"] };
        const render = createRenderer(preset, "exact_match", job);
        const asked = render([0, 1])
          .map(({ content }) => content)
          .join("\n");
        expect(heads(asked)).toBe(regions.length);
        for (const { isOwn: own, text } of regions) if (own) expect(view.text).toContain(unlikeBlocks(text));
        const cut = regions.filter(({ isOwn: own }) => !own).map(({ text }) => text.length);
        const least = ownChars(regions) + sum(cut.map(leastOf));
        expect(bare(view.text).length).toBeLessThanOrEqual(Math.max(least, budget.total_chars));
        const cuts = view.text.match(CUT) ?? [];
        const left = sum(cuts.map((words) => Number(words.replaceAll(/\D/g, ""))));
        const whole = sum(regions.map(({ text }) => text.length));
        expect(view.shown).toBeCloseTo(whole === 0 ? 1 : 1 - left / whole, 12);
        const { thoughts = 0, ...told } = view.left_out;
        expect(sum(Object.values(told))).toBe(left);
        expect(thoughts).toBe(
          reasoning ? 0 : sum(all.filter(({ is }) => is === "thoughts").map(({ text }) => text.length)),
        );
      }
      const { shown, shared, texts, beginning } = wholeView(evidence, {
        ...{ reasoning, budget },
        shrinks: evidence.map(() => budget.shrinks),
      });
      evidence.forEach(({ turns, files }, r) => {
        const regions = [...regionsOf(turns), ...files].filter(({ is }) => reasoning || is !== "thoughts");
        const cut = regions.filter(({ isOwn: own }) => !own).map(({ text }) => text.length);
        const least = ownChars(regions) + sum(cut.map(leastOf));
        const chars = bare(texts[r] as string).length + bare(beginning ?? "").length;
        expect(chars).toBeLessThanOrEqual(Math.max(least, budget.total_chars));
      });
      expect(shown.every(({ shown: share }) => share >= 0 && share <= 1)).toBe(true);
      expect(texts.length).toBe(sent.length);
      expect(shared === 0 || evidence.every(({ turns }) => shared < turns.length)).toBe(true);
    }),
    { numRuns: runs },
  );
}
