import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import {
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
  type GateSession as Session,
  type Way,
} from "../../core/index.ts";
import type { BehaviourName } from "./behaviours.ts";
import type { Merchant } from "./config.ts";
import type { Desk } from "./desk.ts";
import { openPacket, sealPacket, signOf } from "./packets.ts";
import { cardOf, currencies, type PaymentCard } from "./request.ts";

/** A payment that the gate authenticates. */
export type GateForm = PaymentCard & {
  merchant: Merchant;
  operation: "authorize" | "sale";
  tranType: string;
  xid: string;
  amountMinor: bigint;
  currency: string;
  /** The code as it was sent, for MACs. */
  currencyCode: string;
  installment: string;
  returnUrl: string;
};

export type GateSession = Session<GateForm, BehaviourName>;

/** The key of packets that the bank alone opens. It ends with the process, as the sessions do. */
export const BANK_KEY = randomBytes(24).toString("hex");

/** The longest time between the packets of a payment and the payment. */
export const PACKET_LIFE_MS = 2 * 3_600_000;

/** The firewall's page, which comes with HTTP 200. */
export const REJECTED = messagePage(
  "The requested URL was rejected. Please consult with your administrator.",
);

/** The key of a merchant's packets: its own, or one that the bank keeps for itself. */
export function packetSecret({ modes }: Desk, { encKey }: Merchant): string {
  return modes.packets === "open" ? encKey : BANK_KEY;
}

/** Answers `POST /3DSWebService/YKBPaymentService` with the issuer's page, or with the return where there is nothing to ask. */
export async function handleGate(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  const { access } = desk.modes;
  if (access === "outage") return replyPage(response, 503, messagePage("Service unavailable"));
  if (access === "firewall") return replyPage(response, 200, REJECTED);
  const nowMs = desk.bank.clock.now();
  const form = readForm(desk, new URLSearchParams(body.text), nowMs);
  // The form is not believed, so there is no address to go back to.
  if (typeof form === "string") return replyPage(response, 400, messagePage(form));
  const behaviour = desk.faults.take("enrol") ?? "plain";
  await serveCall(response, pageWire, desk, {
    behaviour,
    carryOut: async () => {
      if (behaviour === "error_page") return { answer: pageReply(200, returnPage({ url: "", fields: [] })) };
      const session = openGateSession(
        desk.sessions,
        { md: randomBytes(24).toString("hex") },
        form,
        behaviour,
        nowMs,
      );
      if (desk.modes.mdStatus === "nine")
        session.authentication = { mdStatus: "9", eci: "", cavv: "", xid: session.xid };
      const html = await gatePage(acsOf(desk, session), desk.publicUrlOf(request), request);
      return { answer: pageReply(200, html) };
    },
  });
}

/** Reads a form with its two packets. @returns the text of a refusal for one with a fault */
function readForm(desk: Desk, posted: URLSearchParams, nowMs: number): GateForm | string {
  const field = (name: string) => posted.get(name) ?? "";
  const [data1, data2, returnUrl] = [field("posnetData"), field("posnetData2"), field("merchantReturnURL")];
  const isOwn = (each: Merchant) => field("mid") === each.mid && field("posnetID") === each.posnetId;
  const known = desk.merchants.filter(isOwn);
  if (known.length === 0) return "MID, POSNETID HATALI";
  const merchant = known.find((each) => field("digest") === signOf(packetSecret(desk, each), data1, data2));
  if (!merchant) return "DIGEST HATALI";
  const secret = packetSecret(desk, merchant);
  const [mid, tid, , xid = "", amount = "", currencyCode = "", installment = "", tranType = "", , at] =
    openPacket(secret, data1)?.split(";") ?? [];
  const [ccno = "", expDate = "", cvc = ""] = openPacket(secret, data2)?.split(";") ?? [];
  if (mid !== merchant.mid || tid !== merchant.tid || ccno === "") return "POSNETDATA HATALI";
  if (nowMs - Number(at) > PACKET_LIFE_MS) return "SURE ASIMI";
  if (!isReturnUrl(returnUrl)) return "MERCHANTRETURNURL HATALI";
  if (!/^(?:tr|en)$/.test(field("lang"))) return "LANG HATALI";
  if (!/^[01]$/.test(field("openANewWindow")) || field("vftCode") !== "") return "FORM HATALI";
  return {
    merchant,
    xid,
    currencyCode,
    installment,
    tranType,
    returnUrl,
    ...cardOf((name) => ({ ccno, expDate, cvc })[name] ?? ""),
    operation: tranType === "Sale" ? "sale" : "authorize",
    amountMinor: BigInt(amount),
    currency: currencies.get(currencyCode) ?? "",
  };
}

function isReturnUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && text.length <= 255 && URL.canParse(text);
}

export function acsOf(desk: Desk, session: GateSession) {
  const { merchantName } = session.form.merchant.options;
  return gateAcsSession(session, merchantName, async () => makeReturn(desk, session));
}

/** The result of an authentication, as packets and answers have it. */
export function statusOf({ authentication }: GateSession, { modes }: Pick<Desk, "modes">) {
  const { mdStatus = "" } = authentication ?? {};
  const txStatus = { 0: "N", 1: "Y", 4: "A", 9: "N" }[mdStatus] ?? "U";
  const message = mdStatus === "1" ? "Authenticated" : "Not authenticated";
  return { mdStatus: modes.mdStatus === "empty" ? "" : mdStatus, txStatus, message };
}

/** The plain fields of a return are signed by nobody, and no MAC is among them. */
function makeReturn(desk: Desk, session: GateSession): Way {
  const { form, md, behaviour } = session;
  const { merchant, xid, pan, amountMinor, currencyCode, installment, returnUrl, tranType } = form;
  const { mid, tid } = merchant;
  const { txStatus, mdStatus, message } = statusOf(session, desk);
  const { hostname, port } = new URL(returnUrl);
  const text = behaviour === "control_characters" ? `\t\u007F${message}. ${LONG_SLIP}` : message;
  const packedMinor = behaviour === "other_packet" ? amountMinor + 1n : amountMinor;
  const values = [mid, tid, packedMinor, installment, xid, 0, 0, returnUrl, hostname, port || 443];
  const secret = packetSecret(desk, merchant);
  const result = [txStatus, mdStatus, text, desk.bank.clock.now(), currencyCode];
  const merchantPacket = sealPacket(secret, [...values, ...result].join(";"));
  const bankPacket = sealPacket(BANK_KEY, md);
  const sign = signOf(behaviour === "wrong_sign" ? `${secret}!` : secret, merchantPacket, bankPacket);
  const fields = {
    MerchantPacket: merchantPacket,
    BankPacket: bankPacket,
    ...(behaviour !== "no_sign" && { Sign: sign }),
    CCPrefix: pan.slice(0, 6),
    TranType: tranType,
    Amount: String(behaviour === "wrong_amount" ? amountMinor + 1n : amountMinor),
    Xid: behaviour === "other_order" ? `${xid.slice(0, -1)}_` : xid,
    MerchantId: behaviour === "other_account" ? mid.replace(/.$/, (last) => (last === "0" ? "1" : "0")) : mid,
  };
  return { method: "post", url: returnUrl, fields: Object.entries(fields) };
}
