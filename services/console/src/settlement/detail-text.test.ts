import { expect, test } from "vitest";
import { TEXTS } from "../ui/texts.ts";
import { detailText } from "./detail-text.ts";

const said = (language: "en" | "tr", detail: string) =>
  detailText({ language, locale: language, texts: TEXTS[language] }, detail).text.replaceAll(/\s+/g, " ");

test.each([
  ["the bank reports another amount", "banka başka bir tutar bildiriyor"],
  ["EUR here, TRY at the bank", "bizde EUR, bankada TRY"],
  [
    "of 2026-03-10, to be settled within 2 days, settled on 2026-03-20",
    "10 Mar 2026 tarihli, 2 gün içinde ödenmeliydi; ödeme günü 20 Mar 2026",
  ],
  ["1 line names the payout, and it has not come", "1 satırda bu banka ödemesi belirtilmiş, ödeme gelmedi"],
  [
    "3 lines name the payout, which has another amount",
    "3 satırda bu banka ödemesi belirtilmiş, tutarı farklı",
  ],
  ["not readable: 1 cell, <b>", 'okunamadı: <span lang="en">1 cell, &lt;b&gt;</span>'],
])("%s is said in Turkish, and in English as it is", (detail, turkish) => {
  expect(said("tr", detail)).toBe(turkish);
  expect(said("en", detail)).not.toContain("lang=");
});

test("a sentence without Turkish words is marked as English", () => {
  expect(said("tr", "a fault of tomorrow")).toBe('<span lang="en">a fault of tomorrow</span>');
});
