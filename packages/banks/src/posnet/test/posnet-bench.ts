import type { FollowUpRequest, ProbedAcquirer, ReversalRequest } from "@holdfast/acquirer";
import { afterAll } from "vitest";

import * as calls from "../../test/calls.ts";
import {
  startScriptedServer,
  written,
  type Answer,
  type ScriptedAnswer,
} from "../../test/scripted-server.ts";
import { macOf } from "../macs.ts";
import { posnetConnector } from "../posnet-bank.ts";
import { posnetSecrets, posnetSettings } from "../posnet-settings.ts";

/** The published numbers and key of the bank's test terminal. */
export const MERCHANT = "6706598320";
export const TERMINAL = "67005551";
export const SECRETS = { encKey: "10,10,10,10,10,10,10,10" };
export const KEY = { merchantId: MERCHANT, terminalId: TERMINAL, ...SECRETS };

export const ORDER = "019c8f2e7a417d109b5c3f6e2d1a4b7c";
/** The name as the bank writes it: alone, in a card payment, and in a payment with 3-D Secure. */
export const NAME = "2weBryng8IaDRmtezV7M";
export const PLAIN = `HFST${NAME}`;
export const SECURE = `TDS_${NAME}`;
export const MOVEMENT = "021450428990000191";

export const settingsOf = (url: string, more: object = {}) => ({
  apiUrl: `${url}/PosnetWebService/XML`,
  gateUrl: `${url}/3DSWebService/YKBPaymentService`,
  merchantId: MERCHANT,
  terminalId: TERMINAL,
  posnetId: "9644",
  ...more,
});

export type Scripted = string | ScriptedAnswer;
/** The leaves of a request's document, under their names, with the call's own; or the fields of a form. */
export type Sent = ReadonlyMap<string, string>;

/** A scripted bank for the tests of a file, and an account at it that confirms nothing unless its settings say so. */
export async function playBank(settings: object = {}) {
  const server = await startScriptedServer(sentOf);
  const acquirer = connectTo(server.url, settings);
  afterAll(async () => {
    await acquirer.close();
    await server.close();
  });
  return {
    acquirer,
    received: server.received,
    script: (...answers: Scripted[]) => server.answers(...answers.map(answerOf)),
    types: () => server.received.map(({ fields }) => fields.get("call") ?? "form"),
    sent: (at = 0) => Object.fromEntries(server.received[at]?.fields ?? []),
  };
}

function connectTo(url: string, settings: object): ProbedAcquirer {
  const parsed = posnetSettings.parse(settingsOf(url, { confirmAmounts: false, ...settings }));
  const account = { accountId: "a", version: 1, settings: parsed, businessDay: calls.BUSINESS_DAY };
  const wire = { connectionsMax: 8, connectTimeoutMs: 60_000, allowPlaintext: false };
  return posnetConnector.connect(account, posnetSecrets.parse(SECRETS), wire);
}

function answerOf(answer: Scripted): Answer<Sent> {
  return written(answer, "text/html; charset=utf-8");
}

function sentOf(body: string): Sent {
  const form = new URLSearchParams(body);
  const document = form.get("xmldata");
  if (document === null) return new Map(form);
  const leaves = [...document.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
  const [, call = ""] = /<\/tranDateRequired><(\w+)>/.exec(document) ?? [];
  return new Map([["call", call], ...leaves.map(([, name = "", of = ""]): [string, string] => [name, of])]);
}

/** An answer. @param inner elements after those that every answer has. */
export const xml = (approved: string, inner = "", respCode = "", respText = "") =>
  `<?xml version="1.0" encoding="iso-8859-9"?><posnetResponse><approved>${approved}</approved><respCode>${respCode}</respCode><respText>${respText}</respText>${inner}</posnetResponse>`;

export const names = (key = MOVEMENT, authCode = "504289") =>
  `<hostlogkey>${key} </hostlogkey><authCode>${authCode}</authCode><tranDate>260102030405</tranDate>`;
export const approval = (key?: string, more = "") => xml("1", names(key) + more);
export const refusal = (code: string, text = "refused", inner = "") => xml("0", inner, code, text);
export const installments = (count: string) =>
  `<instInfo><inst1>${count}</inst1><amnt1>100</amnt1></instInfo>`;

export const noRecord = () => refusal("E219");
/** No record under any of the names that a payment may have. */
export const nowhere = () => [noRecord(), noRecord(), noRecord()];

/**
 * A record. @param rows their states with fields that differ from a movement of 100.00 that counts, such as
 * `Sale; Return hostlogkey=2 amount=50,00`.
 */
export const record = (rows: string, orderID = PLAIN) =>
  xml(
    "1",
    `<transactions>${rows
      .split(";")
      .map((row) => rowXml(row.trim(), orderID))
      .join("")}</transactions>`,
  );

function rowXml(row: string, orderID: string): string {
  const [state = "", ...changes] = row.split(" ");
  const fields = {
    orderID,
    ccno: "4506 34** **** 4637",
    amount: "100,00",
    currencyCode: "TL",
    authCode: "504289",
    tranDate: "2026-01-02 03:04:05.678",
    state,
    txnStatus: "1",
    hostlogkey: MOVEMENT,
    ...Object.fromEntries(changes.map((change) => change.split("=") as [string, string])),
  };
  const leaves = Object.entries(fields).map(([name, text]) => `<${name}>${text}</${name}>`);
  return `<transaction>${leaves.join("")}</transaction>`;
}

export const begun = (more: Record<string, string> = {}) => {
  const parts = { data1: "AB".repeat(156), data2: "CD".repeat(52), sign: "0".repeat(32), ...more };
  const leaves = Object.entries(parts).map(([name, text]) => `<${name}>${text}</${name}>`);
  return xml("1", `<oosRequestDataResponse>${leaves.join("")}</oosRequestDataResponse>`);
};

const ORDERED = { name: NAME, amount: "10000", currency: "TL" };

/** The bank's reading of a return's packets, with a MAC over what it says. */
export function resolved(more: Record<string, string> = {}): string {
  const { mdStatus = "1", xid = NAME, amount = "10000", currency = "TL" } = more;
  const fields = {
    xid,
    amount,
    currency,
    installment: "00",
    point: "0",
    pointAmount: "0",
    txStatus: "Y",
    mdStatus,
    mdErrorMessage: "",
    mac: macOf({ name: xid, amount, currency }, KEY, mdStatus),
    ...more,
  };
  const leaves = Object.entries(fields).map(([name, text]) => `<${name}>${text}</${name}>`);
  return xml("1", `<oosResolveMerchantDataResponse>${leaves.join("")}</oosResolveMerchantDataResponse>`);
}

/** The answer to the payment of an authentication. */
export const secureApproval = (mac = macOf(ORDERED, KEY, MOVEMENT)) =>
  approval(MOVEMENT, `<mac>${mac}</mac>`);
export const secureRefusal = (code: string, mac = macOf(ORDERED, KEY, "")) =>
  refusal(code, "refused", `<mac>${mac}</mac>`);

const customer = { ip: "203.0.113.7", email: "a@b.test" };
export const cardCall = (more: object = {}) => calls.cardRequest({ orderId: ORDER, customer, ...more });
export const enrolment = (more: object = {}) => calls.enrolmentRequest({ orderId: ORDER, customer, ...more });
export const inquiry = (more: object = {}) =>
  calls.inquiryRequest({ reference: "r", orderId: ORDER, currency: "TRY" }, more);

export const target = (more: object = {}) => ({
  target: {
    externalTransactionId: MOVEMENT,
    amountMinor: 10_000n,
    installmentCount: 1,
    at: new Date(),
    ...more,
  },
});
export function followUp(more: Partial<FollowUpRequest> = {}): FollowUpRequest {
  return calls.followUpRequest(cardCall(), { ...target(), ...more });
}
export const reversal = (more: Partial<ReversalRequest> = {}) => calls.reversalRequest(cardCall(), more);

/** The fields with which a browser comes back. */
export const returned = (more: Record<string, string | undefined> = {}) => ({
  fields: Object.entries({
    MerchantPacket: "AB".repeat(60),
    BankPacket: "CD".repeat(40),
    Sign: "0".repeat(32),
    CCPrefix: "552879",
    TranType: "Sale",
    Amount: "10000",
    Xid: NAME,
    MerchantId: MERCHANT,
    ...more,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined),
});
