// The tests of recent-shelf: the shown inputs and the hidden ones. Outputs come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

const render = (room: number, events: readonly string[]): string =>
  `${room} ${events.length}\n${events.map((event) => `${event}\n`).join("")}`;

const events = (text: string): string[] =>
  text.split(", ").map((event) => (event.split(" ").length === 2 ? `put ${event}` : `get ${event}`));

export const samples: string[] = [
  render(2, events("atlas 5, bible 7, atlas, codex 9, bible, codex")),
  render(1, events("owl, owl 3, owl 4, owl")),
];

function randomEvents(draw: Draw, room: number, count: number, titles: string, low: number): string {
  return render(
    room,
    draw.list(count, () =>
      draw.int(1, 2) === 1 ? `get ${draw.pick([...titles])}` : `put ${draw.pick([...titles])} ${draw.int(low, 20)}`,
    ),
  );
}

export function hidden(draw: Draw): string[] {
  return [
    render(0, events("a 1, a, b 2, b, a")),
    render(2, events("a 1, b 2, a, c 3, a, b, c")),
    render(3, events("a 1, b 2, c 3, a, b, d 4, c, a, b, d")),
    render(1, events("a 1, b 2, a, b, a 3, b, a")),
    render(2, events("a 0, a, b 0, b")),
    render(2, events("a 1, b 2, a 3, c 4, a, b, c")),
    render(2, events("a 1, b 2, b 3, a, b")),
    render(3, events("a 1, b 2, c 3, a 9, d 4, a, b, c, d")),
    render(3, events("a 1, b 2, c 3, a, d 4, e 5, a, b, c")),
    render(2, events("x 5, x 6, x 7, y 1, x, y")),
    render(1000, events("a 1, b 2, c 3, a, b, c")),
    render(2, events("a 1, b 2, a, a, c 3, a, b, c, d 4, a, b, c, d")),
    render(2, events("long 1000000, longer 999999, long, longest 0, long, longer, longest")),
    render(4, events("a 1, b 2, c 3, d 4, d 5, a, b, c, d")),
    randomEvents(draw, 2, 14, "abc", 1),
    randomEvents(draw, 3, 20, "abcde", 1),
    randomEvents(draw, 4, 30, "abcdef", 0),
    randomEvents(draw, 5, 200, "abcdefgh", 1),
    randomEvents(draw, 26, 300, "abcdefghijklmnopqrstuvwxyz", 1),
    randomEvents(draw, 10, 400, "abcdefghijklmno", 0),
  ];
}
