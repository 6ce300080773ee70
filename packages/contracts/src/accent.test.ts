import * as fc from "fast-check";
import { expect, test } from "vitest";
import { contrast, darkAccent, isReadableAccent, lightAccent } from "./accent.ts";

const colour = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  .map((channels) => `#${channels.map((value) => value.toString(16).padStart(2, "0")).join("")}`);

test.each([
  ["#ffffff", "#000000", 21],
  ["#777777", "#ffffff", 4.48],
  ["#767676", "#ffffff", 4.54],
  ["#ff0000", "#ffffff", 4],
])("the contrast of %s with %s is %d, as WCAG has it", (one, other, expected) => {
  expect(contrast(one, other)).toBeCloseTo(expected, 2);
  expect(contrast(other, one)).toBe(contrast(one, other));
});

test("a colour is taken where white can be read on it", () => {
  expect(isReadableAccent("#767676")).toBe(true);
  expect(isReadableAccent("#777777")).toBe(false);
});

test("whatever colour was taken, what is written on it can be read, on light and on dark screens", () => {
  fc.assert(
    fc.property(colour.filter(isReadableAccent), (chosen) => {
      for (const { accent, accentDark, onAccent } of [lightAccent(chosen), darkAccent(chosen)]) {
        expect(contrast(accent, onAccent)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(accentDark, onAccent)).toBeGreaterThanOrEqual(4.5);
      }
      expect(lightAccent(chosen).accent).toBe(chosen);
      expect(contrast(lightAccent(chosen).accent, "#ffffff")).toBeGreaterThanOrEqual(4.5);
      // Marks of the dark theme, on the surface of its cards.
      expect(contrast(darkAccent(chosen).accent, "#1a222b")).toBeGreaterThanOrEqual(4.5);
    }),
  );
});
