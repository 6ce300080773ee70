import type { IncomingMessage, ServerResponse } from "node:http";

import {
  encodeIso88599,
  gateAcsSession,
  gatePage,
  inItsTime,
  messagePage,
  pageReply,
  pageWire,
  readBody,
  replyPage,
  replyTooLarge,
  returnPage,
  serveCall,
  type Way,
} from "../../core/index.ts";
import { paddedText } from "./behaviours.ts";
import { workOf } from "./carry-out.ts";
import type { MoneyRequest } from "./cc5-request.ts";
import { refusedResponse, type Cc5Response } from "./cc5-response.ts";
import type { Desk } from "./desk.ts";
import { addressOf } from "./fim.ts";
import { parseGateForm, type RefusedForm } from "./gate-form.ts";
import { openSession, type GateSession } from "./gate-sessions.ts";
import { refusedFields, returnFields } from "./return-fields.ts";
import { acceptsMdStatus } from "./rules.ts";
import { ver3Hash, type Parameter } from "./ver3-hash.ts";

/** Answers `POST /fim/est3Dgate` with the issuer's page, or with the return where there is nothing to ask. */
export async function handleGate(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  const nowMs = desk.bank.clock.now();
  const parsed = parseGateForm(body.text, desk, nowMs);
  if (parsed.kind === "refused") return replyRefusal(parsed.refusal, response);
  const behaviour = desk.faults.take("enrol") ?? "plain";
  await serveCall(response, pageWire, desk, {
    behaviour,
    carryOut: async () => {
      const session = openSession(desk.sessions, parsed.form, behaviour, nowMs);
      const html = await gatePage(acsOf(desk, session), desk.publicUrlOf(request), request);
      return { answer: pageReply(200, html) };
    },
  });
}

export function acsOf(desk: Desk, session: GateSession) {
  const { merchantName } = session.form.merchant.options;
  return gateAcsSession(session, merchantName, (request) => makeReturn(desk, session, addressOf(request)));
}

async function makeReturn(desk: Desk, session: GateSession, clientIp: string): Promise<Way> {
  const { form, authentication, behaviour } = session;
  const mdStatus = authentication?.mdStatus ?? "7";
  const isAccepted = acceptsMdStatus(mdStatus, desk.rulesOf(form.merchant));
  const payment = form.storeType === "3d_pay" ? await payAtBank(desk, session, isAccepted) : undefined;
  const isGood = payment ? payment.Response === "Approved" : ["1", "2", "3", "4"].includes(mdStatus);
  const plain = returnFields(session, clientIp, payment);
  const fields = signed(desk, behaviour === "control_characters" ? padded(plain) : plain, session);
  if (desk.modes.callback && form.callbackUrl) await postCallback(desk, form.callbackUrl, fields);
  const charset = desk.modes.returnCharset;
  return { method: "post", url: isGood ? form.okUrl : form.failUrl, fields, charset };
}

/**
 * Posts the fields to a merchant, and twice more if it answers FAILURE or not at all; the browser's return is
 * the same.
 */
async function postCallback({ notifier }: Desk, url: string, fields: Parameter[]): Promise<void> {
  const body = new URLSearchParams(fields.map(([name, value]) => [name, value]));
  const isTaken = (answer: string) => !answer.includes("FAILURE");
  await notifier.deliver({ url, headers: {}, body, triesMax: 3, isTaken });
}

/** `3d_pay`: the bank pays with the authentication. The bank's texts in a return are ASCII, as its encoding is not agreed on. */
async function payAtBank(desk: Desk, session: GateSession, isAccepted: boolean): Promise<Cc5Response> {
  const { form, md, authentication } = session;
  const { merchant, orderId } = form;
  const modes = { ...desk.modes, language: "en" as const };
  const refuse = (code: 2100 | 2206) => refusedResponse(code, { orderId, groupId: orderId }, "", modes);
  if (!isAccepted || !authentication) return { ...refuse(2206), Response: "Declined" };
  const request: MoneyRequest = {
    operation: form.operation,
    orderId,
    groupId: orderId,
    transactionId: "",
    amountMinor: form.amountMinor,
    currency: form.currency,
    holdMinor: undefined,
    installments: form.installments,
    namesOne: false,
    card: { kind: "md", md, ...authentication },
  };
  const done = await inItsTime(desk, workOf(desk, merchant, request, session, modes));
  return done && "answer" in done ? done.answer : refuse(2100);
}

function replyRefusal(refusal: RefusedForm, response: ServerResponse): void {
  const { failUrl, merchant } = refusal;
  if (!failUrl) return replyPage(response, 400, messagePage(`The form is not valid: ${refusal.message}.`));
  const plain = refusedFields(refusal);
  // The bank signs for merchants that it knows; an unknown sender gets no hash.
  const fields = merchant ? withHash(plain, merchant.storeKey) : plain;
  replyPage(response, 200, returnPage({ url: failUrl, fields }));
}

function signed({ modes }: Desk, fields: Parameter[], { form, behaviour }: GateSession): Parameter[] {
  const hash = behaviour === "wrong_hash" ? "wrong" : modes.returnHash;
  const beside = modes.unsignedReturnFields ? UNSIGNED : [];
  if (hash === "missing") return [...fields, ...beside];
  const bytesOf = modes.hashCharset === "utf-8" ? undefined : encodeIso88599;
  const storeKey = `${form.merchant.storeKey}${hash === "wrong" ? "!" : ""}`;
  return [...withHash(fields, storeKey, bytesOf), ...beside];
}

function withHash(
  fields: Parameter[],
  storeKey: string,
  bytesOf?: (text: string) => Uint8Array,
): Parameter[] {
  return [...fields, ["HASH", ver3Hash(fields, storeKey, bytesOf)]];
}

/** Fields that the hash does not cover. The last field is an unknown one. */
const UNSIGNED: readonly Parameter[] = [
  ["NATIONALIDNO", ""],
  ["countdown", "5"],
  ["bankCampaignCode", "B17"],
];

function padded(fields: Parameter[]): Parameter[] {
  return fields.map(([name, value]) => [name, name === "mdErrorMsg" ? paddedText(value) : value]);
}
