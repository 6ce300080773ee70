import { html, type Html } from "@holdfast/html";
import { dayText } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";

/** The sentence about what differs, in the reader's language. The service writes it in English, and new ones stay so. */
export function detailText(reader: Reader, detail: string): Html {
  if (reader.language === "en") return html`${detail}`;
  const said = TURKISH[detail];
  if (said !== undefined) return html`${said}`;
  for (const [pattern, write] of TURKISH_OF) {
    const found = pattern.exec(detail);
    if (found) return write(reader, ...found.slice(1));
  }
  return englishText(reader, detail);
}

/** A text that the service has in English alone, marked as English on a page in another language. */
export function englishText({ language }: Reader, text: string): Html {
  return language === "en" ? html`${text}` : html`<span lang="en">${text}</span>`;
}

/** Sentences that are always the same. */
export const TURKISH: Record<string, string> = {
  "not done here, and the bank reports it": "bizde yapılmadı, banka bildiriyor",
  "voided here, and the bank reports it": "bizde iptal edildi, banka bildiriyor",
  "not known to be done here, and the bank reports it": "bizde sonucu belirsiz, banka bildiriyor",
  "done here, and void at the bank": "bizde yapıldı, bankada iptal edildi",
  "the bank reports another amount": "banka başka bir tutar bildiriyor",
  "gross less fee is not net": "brüt tutardan kesinti çıkınca net tutar kalmıyor",
  "the fee is not that of the account's plan": "kesinti, hesabın planındaki kesinti değil",
  "an earlier line reports the same": "önceki bir satır aynısını bildiriyor",
  "an earlier line reports the same chargeback; if it is another one, open a case":
    "önceki bir satır aynı ters ibrazı bildiriyor; başka bir ters ibrazsa itiraz kaydı açın",
  "a payment or refund of another account is named": "başka bir hesabın ödemesi veya iadesi belirtilmiş",
  "a payment is named, and nothing of ours is reported": "bir ödeme belirtilmiş, ama bizde karşılığı yok",
  "no payment or refund of ours is named": "bizim hiçbir ödememiz veya iademiz belirtilmemiş",
  "no line of a bank's file reports it": "banka dosyalarının hiçbir satırında yok",
  "no line names the payout": "hiçbir satırda bu banka ödemesi belirtilmemiş",
};

type Sentence = readonly [pattern: RegExp, write: (reader: Reader, ...parts: string[]) => Html];

/** Sentences with parts of their own. */
const TURKISH_OF: readonly Sentence[] = [
  [/^([A-Z]{3}) here, ([A-Z]{3}) at the bank$/, (_, ours, theirs) => html`bizde ${ours}, bankada ${theirs}`],
  [
    /^of ([\d-]+), to be settled within (\d+) days, settled on ([\d-]+)$/,
    (reader, day, days, settled) =>
      html`${dayText(reader, day)} tarihli, ${days} gün içinde ödenmeliydi; ödeme günü
      ${dayText(reader, settled)}`,
  ],
  [
    /^(\d+) lines? names? the payout, which has another amount$/,
    (_, lines) => html`${lines} satırda bu banka ödemesi belirtilmiş, tutarı farklı`,
  ],
  [
    /^(\d+) lines? names? the payout, and it has not come$/,
    (_, lines) => html`${lines} satırda bu banka ödemesi belirtilmiş, ödeme gelmedi`,
  ],
  [/^not readable: (.+)$/, (reader, reason) => html`okunamadı: ${englishText(reader, reason)}`],
];
