import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import {
  gateAcsSession,
  gatePage,
  LONG_SLIP,
  mdStatusOf,
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
import type { Desk } from "./desk.ts";
import { parseGateForm, type GateSession } from "./gate-form.ts";
import { returnHash } from "./hashes.ts";

/** Answers `POST /servlet/gt3dengine` with the issuer's page, or with the return where there is nothing to ask. */
export async function handleGate(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const { access } = desk.modes;
  if (body.kind === "too_large") return replyTooLarge(response);
  if (access === "outage") return replyPage(response, 500, messagePage("Internal error"));
  const nowMs = desk.bank.clock.now();
  const parsed = parseGateForm(body.text, desk.merchantOf, nowMs);
  const refused =
    "form" in parsed && access !== "open" ? { ...parsed.form, message: "Guvenlik Kodu hatali" } : parsed;
  if (!("form" in refused)) return refuse(response, refused);
  const { form } = refused;
  const behaviour = desk.faults.take("enrol") ?? "plain";
  await serveCall(response, pageWire, desk, {
    behaviour,
    carryOut: async () => {
      if (behaviour === "error_page") return { answer: pageReply(200, ERROR_PAGE) };
      const md = randomBytes(123).toString("base64");
      // An authentication without a challenge has the name of the newer version of 3-D Secure.
      const names = mdStatusOf(form.pan) === undefined ? { md } : { md, xid: randomUUID() };
      const session = openGateSession(desk.sessions, names, form, behaviour, nowMs);
      const html = await gatePage(acsOf(desk, session), desk.publicUrlOf(request), request);
      return { answer: pageReply(200, html) };
    },
  });
}

/** A page of the bank that leads nowhere. */
const ERROR_PAGE = returnPage({
  url: "",
  fields: [
    ["response", "Error"],
    ["errmsg", "Sistem hatasi"],
  ],
});

type Fields = Record<string, string>;

/** A form that the bank refuses before any authentication comes back without a hash. */
function refuse(
  response: ServerResponse,
  { errorUrl, message, echoes }: { errorUrl: string | undefined; message: string; echoes: Fields },
): void {
  if (!errorUrl) return replyPage(response, 400, messagePage(message));
  const texts = { mderrormessage: message, errmsg: message };
  const fields = { ...echoes, mdstatus: "7", response: "Error", procreturncode: "99", ...texts };
  replyPage(response, 200, returnPage({ url: errorUrl, fields: Object.entries(fields) }));
}

export function acsOf(_desk: Desk, session: GateSession) {
  return gateAcsSession(session, session.form.merchant.options.merchantName, () => makeReturn(session));
}

/** The browser brings back the whole form but the card, the authentication, and the hash over ten fields. */
async function makeReturn({ form, md, authentication, behaviour }: GateSession): Promise<Way> {
  const { merchant, orderId, pan, echoes, amountMinor, successUrl, errorUrl } = form;
  const { mdStatus = "7", eci = "", cavv = "", xid = "" } = authentication ?? {};
  const isGood = ["1", "2", "3", "4"].includes(mdStatus);
  const message = MESSAGES[Number(mdStatus)] ?? "System error";
  const fields: Fields = {
    ...echoes,
    clientid: merchant.terminalId,
    oid: behaviour === "other_order" ? `${orderId.slice(0, -1)}-` : orderId,
    authcode: "",
    procreturncode: "",
    response: "",
    mdstatus: mdStatus,
    cavv,
    // A failed authentication has no ECI.
    eci: isGood ? eci : "",
    md,
    rnd: randomBytes(15).toString("base64"),
    mderrormessage: behaviour === "control_characters" ? `\t\u007F${message}. ${LONG_SLIP}` : message,
    txnstatus: { 0: "N", 1: "Y", 4: "A" }[mdStatus] ?? "U",
    xid,
    MaskedPan: `${pan.slice(0, 6)}***${pan.slice(-4)}`,
    version: "2.0",
    ...Object.fromEntries(EMPTY.map((name) => [name, ""])),
    ...(behaviour === "wrong_amount" && { txnamount: String(amountMinor + 1n) }),
  };
  const names = behaviour === "other_list" ? SIGNED.slice(0, 2) : SIGNED;
  const values = names.map((name) => fields[name] ?? "");
  const hash = returnHash(values, `${merchant.storeKey}${behaviour === "wrong_hash" ? "!" : ""}`);
  const signature = { hashparams: `${names.join(":")}:`, hashparamsval: values.join(""), hash };
  const signed = behaviour === "no_hash" ? fields : { ...fields, ...signature };
  return { method: "post", url: isGood ? successUrl : errorUrl, fields: Object.entries(signed) };
}

const EMPTY = "errmsg hostmsg hostrefnum transid cavvalgorithm ireqcode ireqdetail vendorcode".split(" ");
const SIGNED = "clientid oid authcode procreturncode response mdstatus cavv eci md rnd".split(" ");

/** Messages by mdstatus. */
const MESSAGES = [
  "Failed",
  "Authenticated",
  "Not enrolled",
  "Not enrolled",
  "Attempt",
  "Unverified",
  "Error",
];
