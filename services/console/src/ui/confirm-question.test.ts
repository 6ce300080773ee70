import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";

const script = readFileSync(join(import.meta.dirname, "assets", "console.js"), "utf8");

/** The browser's question before a form with these fields is sent, and what is done then. */
function send(value: string, fields: Record<string, string>, answer = true) {
  const seen = { asked: "", isSent: true, hasQuestion: true };
  let submit = () => {};
  const form = {
    elements: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value }])),
    addEventListener: (_type: string, listener: (event: object) => void) =>
      (submit = () => listener({ preventDefault: () => (seen.isSent = false) })),
  };
  const question = { form, value, remove: () => (seen.hasQuestion = false) };
  runInNewContext(script, {
    document: {
      documentElement: { dataset: { locale: "en" } },
      querySelectorAll: (selector: string) => (selector === 'input[name="question"]' ? [question] : []),
      querySelector: () => null,
      addEventListener() {},
    },
    Intl,
    performance,
    addEventListener() {},
    confirm: (text: string) => {
      seen.asked = text;
      return answer;
    },
  });
  submit();
  return seen;
}

test("the question has the amount that is typed, and whatever a merchant has named an order is still asked about", () => {
  const order = "order {x} {csrf} {amount} $&?";
  const asked = (question: string, fields: Record<string, string>) => send(question, fields).asked;
  expect(asked(`Refund: {amount} TRY, ${order}`, { amount: "10.00", csrf: "secret" })).toBe(
    `Refund: 10.00 TRY, ${order}`,
  );
  expect(asked(`Record: {outcome}, ${order}`, { outcome: "LOST" })).toBe(`Record: LOST, ${order}`);
  expect(asked(`Cancel: 20.00 TRY, ${order}`, { csrf: "secret" })).toBe(`Cancel: 20.00 TRY, ${order}`);
});

test("a form is sent without its question once that is answered, and not at all after a no", () => {
  expect(send("Approve?", {})).toEqual({ asked: "Approve?", isSent: true, hasQuestion: false });
  expect(send("Approve?", {}, false)).toEqual({ asked: "Approve?", isSent: false, hasQuestion: true });
});
