import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** The bank's answer: XML or HTML, or anything else. A status of 0 cuts the connection. */
export type ScriptedAnswer = { status?: number; contentType?: string; body: string | Buffer };

/** A request as the bank read it: the elements of its XML, or the fields of its form. */
export type ReceivedRequest = { path: string; fields: ReadonlyMap<string, string>; body: string };

/**
 * A bank that gives the answers that a test has put in line, each to one request.
 * @param otherwise answers where there is none in line.
 */
export async function startScriptedBank(
  otherwise?: (fields: ReadonlyMap<string, string>) => string | Promise<string>,
) {
  const answers: ScriptedAnswer[] = [];
  const received: ReceivedRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    received.push({ path: request.url ?? "", fields: fieldsOf(body), body });
    const rest = otherwise ? { body: await otherwise(fieldsOf(body)) } : { status: 500, body: "" };
    const { status = 200, contentType = XML, body: next }: ScriptedAnswer = answers.shift() ?? rest;
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, { "content-type": contentType }).end(next);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    /** Puts answers in line, and forgets all requests. */
    script(...next: (ScriptedAnswer | string)[]) {
      received.length = 0;
      answers.length = 0;
      answers.push(...next.map((answer) => (typeof answer === "string" ? { body: answer } : answer)));
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
export type ScriptedBank = Awaited<ReturnType<typeof startScriptedBank>>;

const XML = "text/xml;charset=ISO-8859-9";

/** An answer of the API with the elements given, those under `Extra` inside of it. */
export function answerXml(
  elements: Readonly<Record<string, string | Readonly<Record<string, string>>>>,
): string {
  const render = (content: typeof elements): string =>
    Object.entries(content)
      .map(([name, of]) => `<${name}>${typeof of === "string" ? of : render(of)}</${name}>`)
      .join("");
  return `<?xml version="1.0" encoding="ISO-8859-9"?>\n<CC5Response>${render(elements)}</CC5Response>`;
}

export function approvedXml(orderId: string, transId: string): string {
  return answerXml({
    OrderId: orderId,
    GroupId: orderId,
    Response: "Approved",
    AuthCode: "621911",
    HostRefNum: "230200671758",
    ProcReturnCode: "00",
    TransId: transId,
    ErrMsg: "",
    Extra: { SETTLEID: "1", TRXDATE: "20221029 21:58:43", ERRORCODE: "", NUMCODE: "00" },
  });
}

/** The gateway's own refusal, which does not repeat the order's id. */
export function refusedXml(core: string, overrides: Readonly<Record<string, string>> = {}): string {
  return answerXml({
    OrderId: "",
    Response: "Error",
    ProcReturnCode: "99",
    TransId: "22302V8rE11733",
    ErrMsg: "refused",
    ...overrides,
    Extra: { ERRORCODE: core === "" ? "" : `CORE-${core}`, NUMCODE: core === "" ? "00" : `99${core}` },
  });
}

/** The history of an order; rows newest first, each as the bank's columns without their tabs. */
export function historyXml(orderId: string, ...rows: string[]): string {
  return answerXml({
    ErrMsg: "",
    ProcReturnCode: "00",
    Response: "Approved",
    OrderId: orderId,
    TransId: "",
    Extra: {
      TERMINALID: "00655020",
      MERCHANTID: "655000200",
      NUMCODE: "0",
      TRXCOUNT: String(rows.length),
      ...Object.fromEntries(rows.map((row, index) => [`TRX${index + 1}`, row])),
    },
  });
}

export function emptyHistoryXml(orderId: string): string {
  return answerXml({
    ErrMsg: `No record found for ${orderId}`,
    ProcReturnCode: "05",
    Response: "Declined",
    OrderId: orderId,
    TransId: "",
    Extra: { NUMCODE: "0", TRXCOUNT: "0" },
  });
}

export type RowParts = { original?: string; captured?: string; transId?: string; proc?: string };

/** A row of a history: kind, state, amounts in minor units, and names. */
export function historyRow(charge: string, state: string, parts: RowParts = {}): string {
  const { original = "10000", transId = "T1", proc = "00" } = parts;
  const { captured = state === "C" || state === "S" ? original : "" } = parts;
  const time = "2026-10-29 21:58:43.120";
  const columns = [charge, state, original, captured, time, captured && time, state === "V" ? time : ""];
  return [...columns, "230200671758", "621911", proc, transId].join("\t");
}

function fieldsOf(body: string): Map<string, string> {
  const form = new URLSearchParams(body);
  const xml = form.get("DATA");
  if (xml === null) return new Map(form);
  return new Map([...xml.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name = "", of = ""]) => [name, of]));
}
