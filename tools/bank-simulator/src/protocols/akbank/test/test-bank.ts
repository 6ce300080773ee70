import { startBankOf, submit, type Page } from "../../../core/test/test-bank.ts";
import { defaultModes } from "../config.ts";
import { formHash, hmac } from "../hashes.ts";
import { merchantsSchema, protocol, type LedgerLine, type Modes, type SimulatorConfig } from "../index.ts";

export const STORE = {
  merchantSafeId: "2023090417500272654BD9A49CF07574",
  terminalSafeId: "2023090417500284633D137A249DBBEB",
  secretKey:
    "3230323330393034313735303032363031353172675f357637355f3273387373745f7233725f73323333383737335f323272383774767276327672323531355f",
};
export const GOOD_CARD = "5578293000121055";
export const RETURN_URL = "https://pay.example.test/return/1";
const PROCESS = "/api/v1/payment/virtualpos/transaction/process";

/** The machine's time in tests: noon of 22 November 2026 in Turkey. */
export const NOON = Date.parse("2026-11-22T09:00:00Z");

export type Body = Record<string, unknown>;
export type Answer = Body & {
  responseCode?: string;
  hostResponseCode?: string;
  transaction?: { authCode: string; rrn: string; batchNumber: number; stan: number };
  txnDetailList?: Body[];
};
type Options = Partial<Omit<SimulatorConfig, "ledgerFile" | "modes">> & {
  modes?: Partial<Modes>;
  options?: object;
};

/** A bank in this process with a ledger of its own, which is removed at the end. Its clock is stopped. */
export async function startTestBank({ modes, options = {}, ...rest }: Options = {}) {
  const bank = await startBankOf<SimulatorConfig, LedgerLine>(protocol, {
    merchants: merchantsSchema.parse([{ ...STORE, options }]),
    machineNow: () => NOON,
    modes: { ...defaultModes, ...modes },
    ...rest,
  });
  /** @param hash in place of the right one. */
  const post = (body: object, hash?: string) => {
    const text = JSON.stringify(body);
    const headers = { "content-type": "application/json", "auth-hash": hash ?? hmac(STORE.secretKey, text) };
    return fetch(`${bank.url}${PROCESS}`, { method: "POST", headers, body: text });
  };
  const ask = async (body: object) => (await (await post(body)).json()) as Answer;
  return Object.assign(bank, {
    post,
    raw: ask,
    /** The refusal's code (the host's if the host was asked), or `ok`. */
    code: async (body: object) => codeOf(await ask(body)),
    rows: async (orderId = "o") => (await ask(request("1010", {}, orderId))).txnDetailList ?? [],
  });
}

export function codeOf({ responseCode, hostResponseCode }: Answer): string | undefined {
  if (responseCode === "VPS-0000") return "ok";
  return hostResponseCode ?? responseCode;
}

/** A request; the time is the bank's wall clock's. */
export function request(txnCode: string, more: object = {}, orderId = "o"): Body {
  return {
    version: "1.00",
    txnCode,
    requestDateTime: "2026-11-22T12:00:00.000",
    randomNumber: "0123456789ABCDEF".repeat(8),
    terminal: { merchantSafeId: STORE.merchantSafeId, terminalSafeId: STORE.terminalSafeId },
    order: { orderId },
    ...more,
  };
}

/** A sale or a hold (`1004`) of 12.50 TRY. */
export function payment(change: object = {}, card: object = {}, txnCode = "1000"): Body {
  return request(txnCode, {
    card: { cardNumber: GOOD_CARD, expireDate: "1230", cvv2: "000", ...card },
    transaction: { amount: "12.50", currencyCode: 949, motoInd: 0, installCount: 1, ...change },
  });
}
export const hold = (change: object = {}) => payment(change, {}, "1004");
/** A capture (`1005`) or a refund (`1002`). */
export const followUp = (txnCode: string, amount = "12.50", change: object = {}) =>
  request(txnCode, { transaction: { amount, currencyCode: 949, ...change } });
export const cancel = request("1003");

/** A signed form of 12.50 TRY; `hash` replaces the correct hash. */
export function gateForm(changes: Record<string, string> = {}): Record<string, string> {
  const fields: Record<string, string> = {
    paymentModel: "3D",
    txnCode: "3000",
    merchantSafeId: STORE.merchantSafeId,
    terminalSafeId: STORE.terminalSafeId,
    orderId: "o",
    lang: "TR",
    amount: "12.50",
    currencyCode: "949",
    installCount: "1",
    okUrl: RETURN_URL,
    failUrl: `${RETURN_URL}/failed`,
    creditCard: GOOD_CARD,
    expiredDate: "1230",
    cvv: "000",
    randomNumber: "0123456789ABCDEF".repeat(8),
    requestDateTime: "2026-11-22T12:00:00.000",
    ...changes,
  };
  return { hash: formHash(STORE.secretKey, (name) => fields[name] ?? ""), ...fields };
}

/** Posts the form, and the correct code if the issuer asks for one. */
export async function authenticate(
  { url }: { url: string },
  changes: Record<string, string> = {},
  answer: Record<string, string> = { code: "123456", answer: "submit" },
): Promise<Page> {
  const page = await submit(`${url}/securepay`, gateForm(changes));
  return page.action.endsWith("/acs/answer") ? submit(page.action, { ...page.fields, ...answer }) : page;
}

/** The payment after 3-D Secure. */
export function complete(fields: Record<string, string>, change: object = {}): Body {
  return request("1000", {
    secureTransaction: {
      secureId: fields["secureId"],
      secureEcomInd: fields["secureEcomInd"],
      secureData: fields["secureData"],
      secureMd: fields["secureMd"],
    },
    transaction: { amount: "12.50", currencyCode: 949, motoInd: 0, installCount: 1, ...change },
  });
}
