// Holds that honest programs and answers come to every preset's judge readable, on a small draw of
// what `npm run lab -- red-team --honest` tries, and that the report sees what is not.
import { describe, expect, test } from "vitest";
import { honestPage, honestReport, refusedOf } from "../../lab/red-team/honest.ts";
import { realTexts } from "../../lab/red-team/real-texts.ts";
import { askedOfChatModels } from "../../lab/templates/index.ts";

const texts = realTexts(["sets", "problems", "node_modules/zod", "node_modules/hono", "clients/python/src"], 400);

test("there are as many as were asked for, of every folder, and all are candidates", () => {
  expect(new Set(texts).size).toBe(400);
  for (const sign of [/^(?:def|class|import) /m, /^(?:export|function|const) /m, /^#+ /m]) {
    expect(texts.some((text) => sign.test(text))).toBe(true);
  }
  expect(refusedOf([...texts, "Let's solve this step by step:"])).toEqual(["Let's solve this step by step:"]);
});

describe.each(askedOfChatModels())("%s", (preset) => {
  test("is shown every character of them, and few joiners", () => {
    const { unchanged, marked, written, others } = honestReport(preset, texts);
    expect(others).toEqual([]);
    expect(unchanged + marked + written).toBe(texts.length);
    expect(unchanged).toBeGreaterThan(texts.length / 2);
  });
});

describe("the report", () => {
  const quotes = 'def f():\n    """The answer."""\n    return 1';
  const hidden = "an answer with a zero-width\u200bspace in it";
  const broken = '"""a'.repeat(50);

  test("tells a broken mark from a hidden character and from a text in pieces", () => {
    expect(honestReport("xverify", ["print(1)", quotes, hidden, broken])).toMatchObject({
      ...{ unchanged: 1, marked: 1, written: 1, others: [broken] },
      ...{ joiners: 2, maxJoiners: 2 },
    });
    expect(honestReport("yes-no", [quotes, broken])).toMatchObject({ unchanged: 2, others: [] });
  });

  test("reads a text in a longer fence and in JSON", () => {
    const fence = 'See:\n````\n```\n"a"\t\\n\n```\n````';
    for (const preset of ["code-select", "rewardanything"]) {
      expect(honestReport(preset, [fence])).toMatchObject({ unchanged: 1, others: [] });
    }
  });

  test("is a row a preset", () => {
    const page = honestPage("how", 4, 0, [honestReport("xverify", [quotes])]);
    expect(page).toContain("| xverify | 0 | 1 | 0 | 0 | 2.0 | 2 | ");
  });
});
