// The reference solution of recent-shelf: a plain array, oldest use first.

/** Input text to output text. */
export function solve(input: string): string {
  const [head = "", ...events] = input.trimEnd().split("\n");
  const room = Number(head.split(" ")[0]);
  let shelf: { title: string; note: string }[] = [];
  const printed: string[] = [];
  for (const event of events) {
    const [verb, title = "", note = ""] = event.split(" ");
    const found = shelf.find((book) => book.title === title);
    const others = shelf.filter((book) => book !== found);
    if (verb === "get") {
      printed.push(found?.note ?? "-1");
      if (found) shelf = [...others, found];
    } else if (room > 0) {
      shelf = [...others.slice(Math.max(0, others.length - room + 1)), { title, note }];
    }
  }
  return printed.join("\n");
}
