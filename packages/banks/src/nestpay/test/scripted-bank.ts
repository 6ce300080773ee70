import { startScriptedServer, written, type ScriptedAnswer } from "../../test/scripted-server.ts";

type Fields = ReadonlyMap<string, string>;

/**
 * A bank that gives a test's queued answers, one for each request.
 * @param otherwise answers when the queue is empty.
 */
export async function startScriptedBank(otherwise?: (fields: Fields) => string | Promise<string>) {
  const server = await startScriptedServer<Fields>(
    fieldsOf,
    otherwise &&
      ((response, { fields }) =>
        void Promise.resolve(otherwise(fields)).then((body) =>
          response.writeHead(200, { "content-type": XML }).end(body),
        )),
  );
  return {
    ...server,
    /** Puts answers in line, and forgets all requests. */
    script: (...next: (ScriptedAnswer | string)[]) =>
      server.answers(...next.map((answer) => written(answer, XML))),
  };
}

const XML = "text/xml;charset=ISO-8859-9";

/** An answer of the API with the given elements; elements under `Extra` are nested. */
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

export type RowParts = {
  original?: string;
  captured?: string;
  transId?: string;
  proc?: string;
  time?: string;
};

/** A row of a history: kind, state, amounts in minor units, and names. */
export function historyRow(charge: string, state: string, parts: RowParts = {}): string {
  const { original = "10000", transId = "T1", proc = "00", time = "2026-10-29 21:58:43.120" } = parts;
  const { captured = state === "C" || state === "S" ? original : "" } = parts;
  const columns = [charge, state, original, captured, time, captured && time, state === "V" ? time : ""];
  return [...columns, "230200671758", "621911", proc, transId].join("\t");
}

function fieldsOf(body: string): Map<string, string> {
  const form = new URLSearchParams(body);
  const xml = form.get("DATA");
  if (xml === null) return new Map(form);
  return new Map([...xml.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name = "", of = ""]) => [name, of]));
}
