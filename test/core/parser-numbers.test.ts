// Holds every parser to one rule for grades: a number counts where it is separate and on the scale; a range,
// a choice, a fraction or another script's digits are never read as one of them.
import { describe, expect, it } from "vitest";
import { PRESETS } from "../../lab/templates/index.ts";
import { segmentOf } from "../../src/core/judges/parsers/answer-text.ts";
import { type ParserSettings, readBy } from "../../src/core/judges/parsers/table.ts";

/** The form of one parser's answer around a grade, scale 1 to 5. */
const DIGITS = ["1", "2", "3", "4", "5"];
const READERS: Record<string, [ParserSettings, (said: string) => string]> = {
  line: [{ kind: "line", key: "Grade:", range: [1, 5], whole: true }, (said) => `Well.\nGrade: ${said}`],
  "line, labels": [{ kind: "line", key: "Grade:", labels: DIGITS }, (said) => `Grade: ${said}`],
  prometheus: [(PRESETS.prometheus as { parser: ParserSettings }).parser, (said) => `Feedback: good. [RESULT] ${said}`],
  selene: [(PRESETS.selene as { parser: ParserSettings }).parser, (said) => `**Reasoning:** x\n**Result:** ${said}`],
  numbers: [{ kind: "numbers", range: [1, 5], whole: true }, (said) => `Score: \\boxed{${said}}`],
  "numbers, list": [{ kind: "numbers", range: [1, 5], whole: true }, (said) => `Score: [${said}]`],
  tag: [{ kind: "tag", tag: "score", range: [1, 5], whole: true }, (said) => `<score>${said}</score>`],
  "tag, each": [
    { kind: "tag", tag: "score", range: [1, 5], whole: true, each: true },
    (said) => `<score>${said}</score>`,
  ],
  "tag, labels": [{ kind: "tag", tag: "score", labels: DIGITS }, (said) => `<score>${said}</score>`],
  bracket: [{ kind: "bracket", range: [1, 5] }, (said) => `Rating: [[${said}]]`],
  "bracket, labels": [{ kind: "bracket", labels: DIGITS }, (said) => `Rating: [[${said}]]`],
  boxed: [{ kind: "boxed", labels: DIGITS, key: "Grade:", bare: true }, (said) => `So \\boxed{${said}}`],
  "boxed, by its key": [{ kind: "boxed", labels: DIGITS, key: "Grade:", bare: true }, (said) => `Grade: ${said}`],
  json: [{ kind: "json", grade: "score", range: [1, 5], whole: true }, (said) => JSON.stringify({ score: said })],
  word: [{ kind: "word", labels: DIGITS }, (said) => said],
  logprobs: [{ kind: "logprobs", labels: DIGITS, tag: "<score>" }, (said) => `<score>${said}</score>`],
};

/** Never 3, nor any other number: whatever else they are. */
const NO_GRADE = [
  ...["3-4", "3–4", "3—4", "3 - 4", "3−4", "3~4", "3 ~ 4", "3～4", "3..4", "3…4", "3/4", "3 / 4", "3|4", "3,4", "3, 4"],
  ...["3 to 4", "3 or 4", "3 or maybe 4", "3, maybe 4", "3 or even a 4", "**3** or **4**", "3 (or 4)", "3 up to 4"],
  ...["3 4", "3 and 4", "3 & 4", "3 vs 4", "3 or four", "3 and a half", "3 1/2", "3½", "3 ½", "3²", "3¹", "③", "⑶"],
  ...["3 oder 4", "3 ou 4", "3 o 4", "3 bis 4", "3到4", "3 或 4", "3、4", "3至4", "3から4"],
  ...["3.5", "3,5", ".3", ",3", "3e0", "3E0", "3e1", "0x3", "3x", "3rd", "3%", "3 %", "3‰", "3°", "3^2", "3+", "3 ± 1"],
  ...["-3", "−3", "–3", "- 3", "3.5.1", "33", "30", "0", "6", "٣", "3٣", "३", "๓", "III", "three", "NaN", "3\u200b4"],
  ...["4/10", "3/50", "4 out of 10", "4 of 7", "3/5.5", "12345678901234567893"],
];
const RANGES = ["3-4", "3–4", "3 - 4", "3 to 4", "3 or 4", "3~4", "3, 4", "3 4", "3 or maybe 4", "3/4"];
/** Honest ways to say 3, of those parsers whose number ends a line. */
const GRADES = ["3", "3.", "**3**", "(3)", '"3"', "_3_", "３", " 3 ", "3.0", "𝟑"];
const WORDED = [
  ...["3/5", "3 / 5", "3 out of 5", "3 out of 5.", "3 of 5", "**3**/5", "[3]", "3 - good work", "3 (fair)"],
  ...["3. The answer misses 2 of 4 parts.", "3, because 2 parts are missing", "3 points", "3: 2 errors", "3 or so"],
];

const read = ([settings, around]: [ParserSettings, (said: string) => string], said: string) =>
  readBy(settings, { segment: segmentOf(around(said)) ?? "", count: 1 });

const LINES = ["line", "prometheus", "selene"];
const ofLine = LINES.map((name) => [name, READERS[name] as [ParserSettings, (said: string) => string]] as const);

describe.each(Object.entries(READERS))("%s", (name, reader) => {
  it.each(NO_GRADE)("reads no grade in %j", (said) => {
    // [[3.5]] has no scale of whole numbers, and a comma parts the numbers of a list.
    const numbers = name === "bracket" && /^3\.5$/.test(said);
    if (!numbers) expect(read(reader, said)).toMatchObject({ value: null });
  });

  it("reads the grade that stands alone", () => {
    const labels = "labels" in reader[0] && reader[0].labels !== undefined;
    for (const said of GRADES.filter((one) => !labels || one !== "3.0")) {
      expect(read(reader, said), said).toMatchObject({ status: "ok" });
    }
  });
});

describe.each(ofLine)("behind the key of %s", (_, reader) => {
  it.each(RANGES)("%j is ambiguous", (said) => {
    expect(read(reader, said)).toEqual({ status: "ambiguous", value: null });
  });

  it.each([...GRADES, ...WORDED])("%j is 3", (said) => {
    expect(read(reader, said)).toEqual({ status: "ok", value: { numbers: [3] } });
  });

  it("the same number again is no choice", () => {
    expect(read(reader, "3 or 3")).toEqual({ status: "ok", value: { numbers: [3] } });
  });

  it("takes time in proportion to what follows the number", () => {
    for (const unit of [" ", "-", ".", "or ", "( ", "a", "an ", "..", "e e ", "~."]) {
      expect(read(reader, `3${unit.repeat(200_000)}`).status).not.toBe("unclosed_think");
    }
  });
});

it("a scale of half points takes them, and no third decimal place of a range", () => {
  const settings: ParserSettings = { kind: "line", key: "Reward:", range: [0, 1] };
  const said = (text: string) => readBy(settings, { segment: `Reward: ${text}`, count: 1 });
  expect(said(".5").value).toEqual({ numbers: [0.5] });
  expect(said("0.85").value).toEqual({ numbers: [0.85] });
  expect(said("0.5-0.7").status).toBe("ambiguous");
  expect(said("0.5/1").value).toEqual({ numbers: [0.5] });
});

it("a label of several digits counts only as the whole", () => {
  const settings: ParserSettings = { kind: "line", key: "Pick:", labels: ["9", "10"] };
  const status = (text: string) => readBy(settings, { segment: `Pick: ${text}`, count: 2 }).status;
  expect([status("10"), status("9-10"), status("10.5"), status("1/10"), status("9 or 10")]).toEqual([
    "ok",
    ...Array(4).fill("bad_content"),
  ]);
});
