// The tests of build-order: the shown inputs and the hidden ones. Outputs come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

const render = (names: string, ...rules: string[]): string =>
  `${names.split(" ").length} ${rules.length}\n${names}\n${rules.map((rule) => `${rule}\n`).join("")}`;

export const samples: string[] = [
  render("wash chop boil serve", "wash chop", "chop boil", "boil serve"),
  render("cut sew dye iron", "cut sew", "sew dye", "dye sew", "dye iron"),
  render("dot cat bee ant", "dot ant"),
];

/** Rules drawn along a hidden order, so without a cycle; `loop` adds one rule against the order. */
function randomJobs(draw: Draw, count: number, rules: number, loop: boolean): string {
  const names = new Set<string>();
  while (names.size < count) names.add(draw.word(draw.int(1, 5), "abcdefghij"));
  const order = [...names];
  const pairs = draw.list(rules, () => {
    const later = draw.int(1, count - 1);
    return `${order[draw.int(0, later - 1)]} ${order[later]}`;
  });
  if (loop) pairs.push(`${order[1]} ${order[0]}`, `${order[0]} ${order[1]}`);
  return render(order.join(" "), ...pairs);
}

export function hidden(draw: Draw): string[] {
  return [
    render("solo"),
    render("b a"),
    render("a b", "b a"),
    render("a b", "a b", "b a"),
    render("a c b d", "c a"),
    render("a b c d e", "e b", "e b", "e b"),
    render("z y x w", "z y", "z y"),
    render("a b c d", "d b", "a c"),
    render("m n o p q", "m p", "n o", "q n"),
    render("e d c b a", "e d", "d c", "c b", "b a"),
    render("aa a ab b", "b aa"),
    render("k a b c", "k a", "a b", "b c", "c a"),
    randomJobs(draw, 6, 5, false),
    randomJobs(draw, 8, 6, false),
    randomJobs(draw, 10, 12, false),
    randomJobs(draw, 12, 20, true),
    randomJobs(draw, 20, 12, false),
    randomJobs(draw, 40, 60, false),
    randomJobs(draw, 150, 500, false),
    randomJobs(draw, 100, 300, true),
  ];
}
