// The merchants' document for people names each operation that the one for programs has.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ENDPOINTS } from "@holdfast/contracts";
import { expect, test } from "vitest";

test("the table of docs/merchants.md has each endpoint of the merchant API, and no other", () => {
  const file = resolve(import.meta.dirname, "..", "..", "docs", "merchants.md");
  const rows = [...readFileSync(file, "utf8").matchAll(/^\| `([A-Z]+ \/api\/[^`]+)`/gm)].map(
    ([, row]) => row,
  );
  const served = ENDPOINTS.filter(({ listener }) => listener === "merchant");
  expect(rows.toSorted()).toEqual(served.map(({ method, path }) => `${method} ${path}`).toSorted());
});
