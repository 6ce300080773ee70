import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";

const script = readFileSync(join(import.meta.dirname, "assets", "console.js"), "utf8");

/** The question that the browser asks before a form with these fields is sent. */
function questionOf(confirm: string, fields: Record<string, string>): string | undefined {
  let asked: string | undefined;
  let submit = () => {};
  const form = {
    dataset: { confirm },
    elements: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value }])),
    addEventListener: (_type: string, listener: (event: object) => void) =>
      (submit = () => listener({ preventDefault() {} })),
  };
  runInNewContext(script, {
    document: {
      documentElement: { dataset: { locale: "en" } },
      querySelectorAll: (selector: string) => (selector === "form[data-confirm]" ? [form] : []),
      querySelector: () => null,
      addEventListener() {},
    },
    Intl,
    performance,
    addEventListener() {},
    confirm: (question: string) => (asked = question) !== "",
  });
  submit();
  return asked;
}

test("the question has the amount that is typed, and whatever a merchant has named an order is still asked about", () => {
  const order = "order {x} {csrf} {amount} $&?";
  expect(questionOf(`Refund: {amount} TRY, ${order}`, { amount: "10.00", csrf: "secret" })).toBe(
    `Refund: 10.00 TRY, ${order}`,
  );
  expect(questionOf(`Record: {outcome}, ${order}`, { outcome: "LOST" })).toBe(`Record: LOST, ${order}`);
  expect(questionOf(`Cancel: 20.00 TRY, ${order}`, { csrf: "secret" })).toBe(`Cancel: 20.00 TRY, ${order}`);
});
