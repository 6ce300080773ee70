import type { FollowUpRequest, ProbedAcquirer, ReversalRequest } from "@holdfast/acquirer";
import { afterAll } from "vitest";

import * as calls from "../../test/calls.ts";
import {
  startScriptedServer,
  written,
  type Answer,
  type ScriptedAnswer,
} from "../../test/scripted-server.ts";
import { garantiConnector } from "../garanti-bank.ts";
import { garantiSecrets, garantiSettings } from "../garanti-settings.ts";
import { hashOf, securityData } from "../hashes.ts";

export const SECRETS = {
  provUser: "PROVAUT",
  provPassword: "123qweASD/",
  refundUser: "PROVRFN",
  refundPassword: "another1/",
  storeKey: "12345678",
};
export const ORDER = "8f1c2a3b4d5e6f708192a3b4c5d6e7f8";
export const TERMINAL = "30691298";
export const NAME = "600212345678";

export const settingsOf = (url: string, more: object = {}) => ({
  apiUrl: `${url}/VPServlet`,
  gateUrl: `${url}/servlet/gt3dengine`,
  mode: "TEST",
  merchantId: "7000679",
  terminalId: TERMINAL,
  fallbackIp: "203.0.113.1",
  ...more,
});

/** The bank's answer, or a function that makes it for the order. */
export type Scripted = string | ScriptedAnswer | ((orderId: string) => string);

/** A scripted bank for the tests of a file, and an account at it that confirms nothing unless its settings say so. */
export async function playBank(settings: object = {}) {
  const server = await startScriptedServer(fieldsOf);
  const acquirer = connectTo(server.url, settings);
  afterAll(async () => {
    await acquirer.close();
    await server.close();
  });
  return {
    acquirer,
    received: server.received,
    script: (...answers: Scripted[]) => server.answers(...answers.map(answerOf)),
    types: () => server.received.map(({ fields }) => fields.get("Type") ?? "form"),
  };
}

export function connectTo(url: string, settings: object = {}): ProbedAcquirer {
  const parsed = garantiSettings.parse(settingsOf(url, { confirmAmounts: false, ...settings }));
  const account = { accountId: "a", version: 1, settings: parsed, businessDay: calls.BUSINESS_DAY };
  const wire = { connectionsMax: 8, connectTimeoutMs: 60_000, allowPlaintext: false };
  return garantiConnector.connect(account, garantiSecrets.parse(SECRETS), wire);
}

function answerOf(answer: Scripted): Answer<Map<string, string>> {
  return (response, received) => {
    const said = typeof answer === "function" ? answer(received.fields.get("OrderID") ?? "") : answer;
    written(said, "text/xml")(response, received);
  };
}

/** The leaves of a request, which have different names; or the fields of a form. */
function fieldsOf(body: string): Map<string, string> {
  const leaves = [...body.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
  return new Map(
    leaves.length > 0 ? leaves.map(([, name = "", of = ""]) => [name, of]) : new URLSearchParams(body),
  );
}

/** Parts of an answer: `orderId`, `code` and so on. `rows` is a record: see `historyXml`. */
type Parts = Readonly<Record<string, string>>;

/** An answer of the API, signed. */
export function answerXml(parts: Parts = {}): string {
  const { source = "HOST", code = "00", reason = code, errorText = "", cause = "", orderId = ORDER } = parts;
  const { message = code === "00" ? "Approved" : "Declined", retrefNum = NAME, authCode = "123456" } = parts;
  const { provDate = "20260102 03:04:05", password = SECRETS.provPassword, terminalId = TERMINAL } = parts;
  const { hash = hashOf(code, retrefNum, authCode, provDate, orderId, securityData(password, TERMINAL)) } =
    parts;
  const rows = (parts.rows ?? "").split(";").filter((row) => row !== "");
  const history = `<OrderHistInqResult><OrderTxnList>${rows.map(rowXml).join("")}</OrderTxnList></OrderHistInqResult>`;
  return `<?xml version="1.0" encoding="UTF-8"?><GVPSResponse><Mode>TEST</Mode><Terminal><ProvUserID>X</ProvUserID><ID>${terminalId}</ID><MerchantID>7000679</MerchantID></Terminal><Order><OrderID>${orderId}</OrderID><GroupID></GroupID>${parts.rows === undefined ? "" : history}</Order><Transaction><Response><Source>${source}</Source><Code>${code}</Code><ReasonCode>${reason}</ReasonCode><Message>${message}</Message><ErrorMsg>${errorText}</ErrorMsg><SysErrMsg>${cause}</SysErrMsg></Response><RetrefNum>${retrefNum}</RetrefNum><AuthCode>${authCode}</AuthCode><ProvDate>${provDate}</ProvDate><HashData>${hash}</HashData></Transaction></GVPSResponse>`;
}

/** A refusal of the gateway's. */
export const refusedXml = (reason: string, parts: Parts = {}) =>
  answerXml({
    source: "GVPS",
    code: "92",
    reason,
    retrefNum: "",
    authCode: "",
    errorText: "refused",
    ...parts,
  });

/**
 * A record. @param rows their types with fields that differ from a movement of 100.00 that took effect, such as
 * `sales; refund RetrefNum=1 AuthAmount=50`.
 */
export const historyXml = (rows: string, parts: Parts = {}) =>
  answerXml({ source: "GVPS", reason: "", retrefNum: "", authCode: "", rows, ...parts });

export const noHistoryXml = (parts: Parts = {}) => refusedXml("0108", { rows: "", ...parts });

const ROW =
  "Status=00 ReturnCode=00 PreAuthAmount=0 AuthAmount=10000 PreAuthDate= AuthDate=20260102 VoidDate=";
const REST = `RetrefNum=${NAME} AuthCode=123456 InstallmentCnt=0 CurrencyCode=949 Settlement=N`;

function rowXml(row: string): string {
  const [type = "", ...changes] = row.trim().split(" ");
  const hold = type === "preauth" ? "PreAuthAmount=10000 AuthAmount=0" : "";
  const fields = `Type=${type} ${ROW} ${REST} ${hold}`.trim().split(" ").concat(changes);
  const texts = new Map(fields.map((field) => [field.split("=")[0]!, field.split("=")[1]!]));
  return `<OrderTxn>${[...texts].map(([name, text]) => `<${name}>${text}</${name}>`).join("")}</OrderTxn>`;
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
