import type { AcquirerWire, FollowUpRequest, ProbedAcquirer, ReversalRequest } from "@holdfast/acquirer";
import { afterAll } from "vitest";

import * as calls from "../../test/calls.ts";
import {
  startScriptedServer,
  written,
  type Answer,
  type ScriptedAnswer,
} from "../../test/scripted-server.ts";
import { akbankConnector } from "../akbank-bank.ts";
import { akbankSecrets, akbankSettings } from "../akbank-settings.ts";

export const MERCHANT = "2023090417500272654BD9A49CF07574";
export const TERMINAL = "2023090417500284633D137A249DBBEB";
/** The published key of the bank's test shop. */
export const KEY =
  "3230323330393034313735303032363031353172675f357637355f3273387373745f7233725f73323333383737335f323272383774767276327672323531355f";
export const SECRETS = { secretKey: KEY };
export const ORDER = "8f1c2a3b4d5e6f708192a3b4c5d6e7f8";
export const NAME = "411024360234:43:85";

export const settingsOf = (url: string, more: object = {}) => ({
  apiUrl: `${url}/api/v1/payment/virtualpos/transaction/process`,
  gateUrl: `${url}/securepay`,
  merchantSafeId: MERCHANT,
  terminalSafeId: TERMINAL,
  ...more,
});

/** The bank's answer, or a function that makes it for the order. */
export type Scripted = object | string | ((orderId: string) => object);

/** A request's body, or a form. */
export type Sent = Record<string, unknown> & { txnCode?: string; order?: { orderId: string } };

/** A scripted bank for the tests of a file, and an account at it that confirms nothing unless its settings say so. */
export async function playBank(settings: object = {}, wire: Partial<AcquirerWire> = {}) {
  const server = await startScriptedServer(sentOf);
  const acquirer = connectTo(server.url, settings, wire);
  afterAll(async () => {
    await acquirer.close();
    await server.close();
  });
  return {
    acquirer,
    received: server.received,
    script: (...answers: Scripted[]) => server.answers(...answers.map(answerOf)),
    types: () => server.received.map(({ fields }) => fields.txnCode),
  };
}

function connectTo(url: string, settings: object, more: Partial<AcquirerWire>): ProbedAcquirer {
  const parsed = akbankSettings.parse(settingsOf(url, { confirmAmounts: false, ...settings }));
  const account = { accountId: "a", version: 1, settings: parsed, businessDay: calls.BUSINESS_DAY };
  const wire = { connectionsMax: 8, connectTimeoutMs: 60_000, allowPlaintext: false, ...more };
  return akbankConnector.connect(account, akbankSecrets.parse(SECRETS), wire);
}

function sentOf(body: string): Sent {
  return body.startsWith("{")
    ? (JSON.parse(body) as Sent)
    : Object.fromEntries(new URLSearchParams(body).entries());
}

const isWritten = (answer: object): answer is ScriptedAnswer => "body" in answer;

function answerOf(answer: Scripted): Answer<Sent> {
  return (response, received) => {
    const said = typeof answer === "function" ? answer(received.fields.order?.orderId ?? "") : answer;
    const isBytes = typeof said === "string" || isWritten(said);
    written(isBytes ? said : json(said, received.fields.txnCode), "application/json")(response, received);
  };
}

/** An answer of no type is one to the request. Amounts are written as the bank writes them: numbers without quotes. */
export const json = (answer: object, txnCode: string | undefined) =>
  JSON.stringify({ txnCode, ...answer }).replace(/"amount":"([\d.eE+-]+)"/g, '"amount":$1');

const ids = { terminal: { merchantSafeId: MERCHANT, terminalSafeId: TERMINAL } };
const time = { txnDateTime: "2026-01-02T03:04:05.678" };

/** An approval of the host's. @param more fields that differ. */
export const approval = (more: object = {}) => ({
  responseCode: "VPS-0000",
  responseMessage: "BAŞARILI",
  hostResponseCode: "00",
  hostMessage: "000 ONAY KODU XXXXXX",
  ...time,
  ...ids,
  order: { orderId: ORDER },
  transaction: transaction(),
  ...more,
});

export const transaction = (more: object = {}) => ({
  authCode: "306455",
  rrn: "411024360234",
  batchNumber: 43,
  stan: 85,
  ...more,
});

/** The second movement of the order. */
export const SECOND = "411024360234:43:86";
export const secondApproval = () => approval({ transaction: transaction({ stan: 86 }) });

/** A void's approval: it has no name of anything. */
export const voided = () => approval({ transaction: undefined });

/** A refusal of the gateway's, which did not ask the host. */
export const refused = (responseCode: string, more: object = {}) => ({
  responseCode,
  responseMessage: "refused",
  ...time,
  ...ids,
  order: { orderId: ORDER },
  transaction: { authCode: "000000", rrn: "0", batchNumber: 0, stan: 0 },
  ...more,
});

/** A refusal of the host's. */
export const declined = (hostResponseCode: string, more: object = {}) => ({
  ...approval(),
  responseCode: "VPS-1005",
  hostResponseCode,
  hostMessage: `0${hostResponseCode} RED-ONAYLANMADI`,
  transaction: transaction({ authCode: "000000" }),
  ...more,
});

export const noHistory = () => ({ responseCode: "VPS-1123", responseMessage: "none", ...time, ...ids });

/**
 * A record. @param rows their codes with fields that differ from a movement of 100.00 that took effect, such as
 * `1000; 1002 stan=86 amount=50`.
 */
export const history = (rows: string, more: object = {}) => ({
  responseCode: "VPS-0000",
  responseMessage: "BAŞARILI",
  ...time,
  ...ids,
  order: { orderId: ORDER },
  txnDetailList: rows
    .split(";")
    .filter((row) => row !== "")
    .map(rowOf),
  ...more,
});

function rowOf(row: string): object {
  const [txnCode = "", ...changes] = row.trim().split(" ");
  const isOwn = txnCode === "1000" || txnCode === "1004";
  const values = Object.fromEntries(changes.map((change) => change.split("=") as [string, string]));
  return {
    txnCode,
    responseCode: "VPS-0000",
    hostResponseCode: "00",
    txnStatus: "N",
    ...(txnCode === "1004" && { preAuthStatus: "O" }),
    amount: "100",
    currencyCode: 949,
    installCount: 1,
    ...transaction(),
    ...time,
    orderId: isOwn ? ORDER : "b64e6a2e-0c5c-4a2a-9e5c-8b1b6f9d3c11",
    orgOrderId: ORDER,
    ...values,
  };
}

const customer = { ip: "203.0.113.7", email: "a@b.test" };
export const cardCall = (more: object = {}) => calls.cardRequest({ orderId: ORDER, customer, ...more });
export const enrolment = (more: object = {}) => calls.enrolmentRequest({ orderId: ORDER, customer, ...more });
export const inquiry = (more: object = {}) =>
  calls.inquiryRequest({ reference: "r", orderId: ORDER, currency: "TRY" }, more);

export function followUp(more: Partial<FollowUpRequest> = {}): FollowUpRequest {
  const target = { externalTransactionId: NAME, amountMinor: 10_000n, at: new Date() };
  return calls.followUpRequest(cardCall(), { target, ...more });
}

export const reversal = (more: Partial<ReversalRequest> = {}) => calls.reversalRequest(cardCall(), more);
