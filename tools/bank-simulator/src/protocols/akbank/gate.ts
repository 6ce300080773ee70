import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import {
  decimalAmount,
  gateAcsSession,
  gatePage,
  LONG_SLIP,
  messagePage,
  openGateSession,
  pageReply,
  pageWire,
  readBody,
  replyPage,
  replyTooLarge,
  returnPage,
  serveCall,
  type Way,
} from "../../core/index.ts";
import type { Merchant } from "./config.ts";
import type { Desk } from "./desk.ts";
import { parseGateForm, type GateSession, type ParsedForm } from "./gate-form.ts";
import { returnHash } from "./hashes.ts";
import { wallTime } from "./inquiry.ts";

/** Answers `POST /securepay` with the issuer's page, or with the return where there is nothing to ask. */
export async function handleGate(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  if (desk.modes.access === "outage") return replyPage(response, 500, messagePage("Internal error"));
  const nowMs = desk.bank.clock.now();
  const parsed = parseGateForm(body.text, desk.merchantOf, nowMs);
  if (!("form" in parsed)) return refuse(response, parsed);
  const behaviour = desk.faults.take("enrol") ?? "plain";
  await serveCall(response, pageWire, desk, {
    behaviour,
    carryOut: async () => {
      if (behaviour === "error_page") return { answer: pageReply(200, returnPage({ url: "", fields: [] })) };
      const md = randomBytes(32).toString("hex").toUpperCase();
      const session = openGateSession(desk.sessions, { md }, parsed.form, behaviour, nowMs);
      const html = await gatePage(acsOf(desk, session), desk.publicUrlOf(request), request);
      return { answer: pageReply(200, html) };
    },
  });
}

type Fields = Record<string, string>;

/** A refused form comes back with a short list, which is signed for a merchant that the bank knows. */
function refuse(
  response: ServerResponse,
  { merchant, failUrl, message, orderId }: Exclude<ParsedForm, { form: unknown }>,
): void {
  if (!failUrl) return replyPage(response, 400, messagePage(message));
  const fields = { responseCode: "VPS-1996", responseMessage: message, orderId };
  const signed = merchant ? withHash(fields, REFUSED, merchant) : fields;
  replyPage(response, 200, returnPage({ url: failUrl, fields: Object.entries(signed) }));
}

export function acsOf(desk: Desk, session: GateSession) {
  const { merchantName } = session.form.merchant.options;
  return gateAcsSession(session, merchantName, async () => makeReturn(desk, session));
}

/** A failed authentication has the short list; any other has the proof, and in the usual list the amount. */
function makeReturn({ bank, modes }: Desk, session: GateSession): Way {
  const { form, md, authentication, behaviour } = session;
  const { merchant, orderId, pan, amountMinor, currency, installments, okUrl, failUrl } = form;
  const { mdStatus = "0", eci = "", cavv = "", xid = "" } = authentication ?? {};
  const isFailed = mdStatus === "0";
  const isGood = ["1", "2", "3", "4"].includes(mdStatus);
  const shownMinor = behaviour === "wrong_amount" ? amountMinor + 1n : amountMinor;
  const message = isFailed ? "BKM 3DS Server Doğrulama Başarısız" : "BAŞARILI";
  const fields: Fields = {
    txnCode: isFailed ? "" : form.operation === "sale" ? "3001" : "3005",
    responseCode: isFailed ? "VPS-1279" : "VPS-0000",
    responseMessage: behaviour === "control_characters" ? `\t\u007F${message}. ${LONG_SLIP}` : message,
    txnDateTime: wallTime(bank.clock, bank.clock.now()).replace(/\d{3}$/, "000"),
    merchantSafeId: isFailed ? "" : merchant.merchantSafeId,
    terminalSafeId: isFailed ? "" : merchant.terminalSafeId,
    orderId: behaviour === "other_order" ? `${orderId.slice(0, -1)}-` : orderId,
    secureId: isFailed ? "" : xid,
    secureEcomInd: isFailed ? "" : eci,
    mdStatus: isFailed ? "" : mdStatus,
    secureData: cavv,
    secureMd: isFailed ? "" : md,
    maskedCardNumber: `${pan.slice(0, 6)}******${pan.slice(-4)}`,
    amount: decimalAmount(shownMinor, currency),
    installCount: String(installments),
    okUrl,
    failUrl,
  };
  const list = isFailed ? REFUSED : modes.returnList === "with_amount" ? WITH_AMOUNT : WITHOUT_AMOUNT;
  const names = behaviour === "other_list" ? list.slice(0, 2) : list;
  const shown = Object.fromEntries(list.map((name) => [name, fields[name] ?? ""]));
  const key = behaviour === "wrong_hash" ? { ...merchant, secretKey: `${merchant.secretKey}!` } : merchant;
  const signed = behaviour === "no_hash" ? shown : withHash(shown, names, key);
  return { method: "post", url: isGood ? okUrl : failUrl, fields: Object.entries(signed) };
}

function withHash(
  fields: Fields,
  names: readonly string[],
  { secretKey }: Pick<Merchant, "secretKey">,
): Fields {
  const hash = returnHash(secretKey, names, (name) => fields[name] ?? "");
  return { ...fields, hashParams: names.join("+"), hash };
}

const REFUSED = ["responseCode", "responseMessage", "orderId"];
const WITHOUT_AMOUNT =
  "txnCode responseCode responseMessage txnDateTime merchantSafeId terminalSafeId orderId secureId secureEcomInd secureData secureMd".split(
    " ",
  );
export const WITH_AMOUNT = [
  ...WITHOUT_AMOUNT.slice(0, 9),
  "mdStatus",
  ...WITHOUT_AMOUNT.slice(9),
  ..."maskedCardNumber amount installCount okUrl failUrl".split(" "),
];
