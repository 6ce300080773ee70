import { submit, type Page } from "../../../core/test/test-bank.ts";
import { ver3Hash } from "../ver3-hash.ts";
import { CLIENT_ID, GOOD_CARD, STORE_KEY, type Fields } from "./test-bank.ts";

export const OK_URL = "https://pay.example.test/3ds/ok?s=1";
export const FAIL_URL = "https://pay.example.test/3ds/fail";

/** A signed form of 12.50 TRY; `null` leaves a field out, `hash` replaces the correct hash. */
export function gateForm(changes: Fields = {}): URLSearchParams {
  const { hash, ...fields } = {
    clientid: CLIENT_ID,
    storetype: "3d",
    TranType: "Auth",
    amount: "12.50",
    currency: "949",
    oid: "order-3d",
    okUrl: OK_URL,
    failUrl: FAIL_URL,
    rnd: "5f2d8c0b7a914e36",
    lang: "tr",
    taksit: "",
    hashAlgorithm: "ver3",
    encoding: "UTF-8",
    pan: GOOD_CARD,
    Ecom_Payment_Card_ExpDate_Month: "12",
    Ecom_Payment_Card_ExpDate_Year: "30",
    cv2: "000",
    ...changes,
  } as Fields;
  const posted = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as [string, string]],
  );
  return new URLSearchParams([...posted, ["hash", hash ?? ver3Hash(posted, STORE_KEY)]]);
}

export async function openGate({ url }: { url: string }, changes: Fields = {}): Promise<Page> {
  return await submit(`${url}/fim/est3Dgate`, gateForm(changes));
}

/** Posts the cardholder's answer with the fields of the page. */
export async function answerPage(
  { action, fields }: Page,
  answer: Record<string, string> = { code: "123456", answer: "submit" },
): Promise<Page> {
  return await submit(action, { ...fields, ...answer });
}

/** Posts the form and the right code. */
export async function authenticate(bank: { url: string }, changes: Fields = {}): Promise<Page> {
  return answerPage(await openGate(bank, changes));
}

/** True if a return's hash fits its fields. */
export function isSigned(fields: Record<string, string>): boolean {
  const { HASH } = fields;
  return HASH === ver3Hash(Object.entries(fields), STORE_KEY);
}
