import { expect, test } from "vitest";

import { idIn } from "./line-of-record.ts";

const ID = "019c8f2e-7a41-7d10-9b5c-3f6e2d1a4b7c";

test.each([
  ID,
  ID.toUpperCase(),
  ID.replaceAll("-", ""),
  `${ID}:refund`,
  // A bank whose orders have 24 characters.
  "HFST2weBryng8IaDRmtezV7M",
  " TDS_2weBryng8IaDRmtezV7M ",
])("%s names a payment", (reference) => {
  expect(idIn(reference)).toBe(ID);
});

test.each(["", "ABC123", `${ID}0`, "2weBryng8IaDRmtezV7", "zzzz2weBryng8IaDRmtezV7M", "_".repeat(24)])(
  "%s names none",
  (reference) => {
    expect(idIn(reference)).toBeUndefined();
  },
);
