import type { Language } from "@holdfast/html";
import { expect, test } from "vitest";
import type { PageContext } from "./page-context.ts";
import { questionPage } from "./question-page.ts";
import { TEXTS } from "./texts.ts";

const TO = { action: "/refunds/r1/approve?livemode=false", back: "/refunds/r1?livemode=false" };

function asked(form: [string, string][], language: Language = "en") {
  const context = {
    reader: { language, locale: language, texts: TEXTS[language] },
    form: new URLSearchParams(form),
    formToken: "new token",
    query: new URLSearchParams({ livemode: "false" }),
  } as unknown as PageContext;
  const answer = questionPage(context, TO);
  if (answer.kind !== "page") throw new Error(answer.kind);
  return { ...answer, text: answer.content.text };
}

test("the button sends every field again, in its order and as often as it came, but for the question", () => {
  const { text, isTest } = asked([
    ["formToken", "old token"],
    ["key", "k1"],
    ["refundId", "r1"],
    ["refundId", "r2"],
    ["reason", 'two\nlines "and" <b>'],
    ["question", "Reject?"],
  ]);
  const fields = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  expect(fields.map(([, name, value]) => `${name} ${value}`)).toEqual([
    "formToken new token",
    "key k1",
    "refundId r1",
    "refundId r2",
    "reason two\nlines &quot;and&quot; &lt;b&gt;",
  ]);
  expect(text).toContain('action="/refunds/r1/approve?livemode=false"');
  expect(text).toContain('href="/refunds/r1?livemode=false"');
  expect(isTest).toBe(true);
});

test.each<[Language, string, string, string]>([
  ["en", "Lost, 12.00 TRY, order {amount} $&?", "Yes, do it", "No, go back"],
  ["tr", "Kaybedildi, 12.00 TRY, order {amount} $&?", "Evet, yap", "Hayır, geri dön"],
])("the title is the question with what was entered, in the reader's language (%s)", (...given) => {
  const [language, title, yes, no] = given;
  const page = asked(
    [
      ["outcome", "LOST"],
      ["amount", "12.00"],
      ["question", "{outcome}, 12.00 TRY, order {amount} $&?"],
    ],
    language,
  );
  expect(page.title).toBe(title);
  expect(page.text).toContain(yes);
  expect(page.text).toContain(no);
});

test("a field that the form does not have stays as a merchant has named it", () => {
  expect(asked([["question", "Cancel: order {outcome}?"]]).title).toBe("Cancel: order {outcome}?");
});
