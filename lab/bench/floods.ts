// Defines what the benchmark of costly floods sends: one key's dear requests, and another key's small one.

export const SMALL = JSON.stringify({
  groups: [{ prompt: "p", rollouts: [{ text: "```\na\n```" }, { text: "```\nb\n```" }] }],
});

/** Requests that follow each other; which: how many floods' turns there were before. */
export type Flood = (which: number) => readonly { path: string; body: string }[];

const words = (chars: number) =>
  Array.from({ length: chars }, (_, i) => `${((i * 7919) % 10_007).toString(36)} `)
    .join("")
    .slice(0, chars);
/** A few KiB of rollouts beside as long a reference. */
const similar = (evaluation_metric: string, chars: number, rollouts: number): string =>
  JSON.stringify({
    spec: { signals: { s: { kind: "text_similarity", evaluation_metric } }, reward: "s" },
    groups: [
      {
        ...{ prompt: "p", reference: words(chars) },
        rollouts: Array.from({ length: rollouts }, (_, r) => ({ text: `${r} ${words(chars)}` })),
      },
    ],
  });

/** The requests with the most CPU a KiB of body, for each kind that needs no judge. */
const DEAREST = [
  similar("fuzzy_match", 8_000, 2),
  similar("rouge_1", 8_000, 2),
  JSON.stringify({
    spec: { signals: { s: { kind: "reference", tiers: ["rules"] } }, reward: "s" },
    groups: [
      {
        ...{ prompt: "p", reference: Array.from({ length: 400 }, (_, i) => `${i}e400`).join(",") },
        rollouts: Array.from({ length: 16 }, (_, r) => ({ text: `\\boxed{${"1e-400,".repeat(400)}${r}}` })),
      },
    ],
  }),
];

/** Some 370 KiB of small files, of which every line changed. */
const DIFFS = ["whole", "diff"].map((extract) =>
  JSON.stringify({
    spec: { candidate: { extract } },
    groups: [
      {
        prompt: "p",
        rollouts: ["a", "b"].map((text, r) => ({
          text,
          files: Array.from({ length: 64 }, (_, i) => ({
            ...{ path: `f${i}`, text: `x${r}\n`.repeat(480), base: `y${i}\n`.repeat(360) },
          })),
        })),
      },
    ],
  }),
);

/** A picture of nearly 3 MiB in a prompt, as two questions show it. */
const IMAGES = JSON.stringify({
  spec: {
    candidate: { extract: "whole" },
    signals: { r: { kind: "tournament", judge: { preset: "mtbench-ab", images: true, both_orders: true } } },
    reward: "r",
  },
  groups: [
    {
      prompt: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            {
              type: "image_url",
              image_url: {
                url: `data:image/png;base64,${Buffer.from(`\x89PNG\r\n\x1a\n${"x".repeat(2_900_000)}`, "latin1").toString("base64")}`,
              },
            },
          ],
        },
      ],
      rollouts: [{ text: "A cat." }, { text: "A dog." }],
    },
  ],
});

/** A group of 64 that is filled 16 at a time, each 4 KiB, and closed. */
const openGroup = (which: number) => {
  const path = `/v1/groups/flood-${which}`;
  const texts = Array.from({ length: 64 }, (_, r) => `\`\`\`\n${r} ${words(4_096)}\n\`\`\``);
  const body = (position: number) => {
    const rollouts = texts.slice(position, position + 16).map((text) => ({ text }));
    return JSON.stringify({ prompt: "p", size: 64, spec: CIRCULAR, position, rollouts });
  };
  return [
    ...[0, 16, 32, 48].map((position) => ({ path: `${path}/rollouts`, body: body(position) })),
    { path: `${path}/close`, body: "{}" },
  ];
};
const CIRCULAR = {
  signals: { r: { kind: "tournament", judge: {}, schedule: { name: "circular", degree: 2 } } },
  reward: "r",
};

const oneOf = (bodies: readonly string[]) => (which: number) => [
  { path: "/v1/rewards", body: bodies[which % bodies.length] as string },
];

/** The floods by name: the most expensive bodies that the cost fuzzer knows, images, and open groups. */
export const FLOODS: Readonly<Record<string, Flood>> = {
  "diffs of many files": oneOf(DIFFS),
  "the most expensive comparisons": oneOf(DEAREST),
  images: oneOf([IMAGES]),
  "open groups of 64": openGroup,
};
