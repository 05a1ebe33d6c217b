// Where images are in messages: behind the block that names them, within a question's bound.
import { expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import {
  imageHead,
  imagesMost,
  imagesNamed,
  namedImages,
  withImageNumbers,
  withImages,
} from "../../src/core/judges/image-parts.ts";

const digest = "0123456789abcdef".repeat(4);
const images = { [digest]: "data:image/png;base64,AAAA" };
const head = imageHead("3.1", digest);

it("splits a message behind each block that names an image, and leaves all others as they are", () => {
  const plain = { role: "system", content: "Judge." };
  const asked = { role: "user", content: `a\n${head}\nb [IMAGE_4.1 ${"f".repeat(32)}]\n${head}` };
  expect(withImages([plain, asked], images, 9)).toEqual([
    plain,
    {
      role: "user",
      content: [
        { type: "text", text: `a\n${head}` },
        { type: "image_url", image_url: { url: images[digest] } },
        { type: "text", text: `\nb [IMAGE_4.1 ${"f".repeat(32)}]\n${head}` },
        { type: "image_url", image_url: { url: images[digest] } },
      ],
    },
  ]);
});

it("shows no more than a question over so many candidates may hold, whatever a text names", () => {
  const [asked] = withImages([{ role: "user", content: head.repeat(1_000) }], images, imagesMost(2));
  const parts = typeof asked?.content === "object" ? asked.content : [];
  expect(parts.filter(({ type }) => type === "image_url")).toHaveLength(3 * LIMITS.images_max);
  expect(imagesNamed(head.repeat(3))).toBe(3);
});

it("keeps of a group's images those that its texts name", () => {
  expect(namedImages({ ...images, [`${"e".repeat(64)}`]: "x" }, ["none", `${head} here`])).toEqual(images);
  expect(namedImages(images, ["none"])).toBeNull();
});

it("numbers each distinct image once, and leaves blocks of unknown images as they are", () => {
  const other = "f".repeat(64);
  const both = { ...images, [other]: "data:image/png;base64,BBBB" };
  const unknown = `[IMAGE_4.1 ${"e".repeat(32)}]`;
  const text = `${imageHead("P1", other)} ${head} ${unknown} ${imageHead("2.1", other)}`;
  const numbered = (name: string, of: string, number: number) =>
    `[IMAGE_${name} ${of.slice(0, 32)}: attached image ${number}]`;
  expect(withImageNumbers(text, both)).toEqual({
    text: [numbered("P1", other, 1), numbered("3.1", digest, 2), unknown, numbered("2.1", other, 1)].join(" "),
    urls: [both[other], both[digest]],
  });
  expect(withImageNumbers(text, {})).toEqual({ text, urls: [] });
});
