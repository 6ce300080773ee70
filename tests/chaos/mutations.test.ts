import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHECKOUT_MUTATIONS } from "./checkout-mutations.ts";
import { MUTATIONS } from "./mutations.ts";
import { REFUND_AND_WEBHOOK_MUTATIONS } from "./refund-and-webhook-mutations.ts";
import { UNKIND_BANK_MUTATIONS } from "./unkind-bank-mutations.ts";

const repository = join(import.meta.dirname, "..", "..");

// A mutant whose text is gone would prove nothing when the mutants are run next; so a change of that text has to bring
// its mutation along.
const all = [...MUTATIONS, ...CHECKOUT_MUTATIONS, ...REFUND_AND_WEBHOOK_MUTATIONS, ...UNKIND_BANK_MUTATIONS];

test.each(all)("what this takes out is there exactly once: $name", ({ changes }) => {
  for (const { file, search } of changes) {
    const text = readFileSync(join(repository, file), "utf8");
    expect(text.split(search).length - 1, `${file}: ${search}`).toBe(1);
  }
});

test.each(all)("the scenario that has to notice is there: $name", ({ scenario: { file, test } }) => {
  expect(readFileSync(join(import.meta.dirname, file), "utf8")).toContain(test);
});
