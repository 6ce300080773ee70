import { SaxesParser } from "saxes";

import type { RawHttpExchange } from "../bounded-http-client.ts";

/** The elements of a `CC5Response` that are read, trimmed; an element that is absent is "". */
export type BankAnswer = {
  response: string;
  procReturnCode: string;
  orderId: string;
  transId: string;
  authCode: string;
  errorCode: string;
  numCode: string;
  errMsg: string;
  /** The children of `Extra`, as they stand. */
  extra: ReadonlyMap<string, string>;
};

/**
 * Reads an answer of the bank's API, however malformed its bytes are.
 * @returns undefined for anything but a `CC5Response` in well-formed XML, and where a decisive element comes twice and
 * differs.
 */
export function readAnswer(exchange: Extract<RawHttpExchange, { kind: "answered" }>): BankAnswer | undefined {
  const { status, bytes, contentType } = exchange;
  if (status !== 200) return undefined;
  const text = decodeBytes(bytes, contentType ?? "");
  const elements = text === undefined ? undefined : parseElements(text);
  if (!elements) return undefined;
  const { top, extra } = elements;
  const word = (name: string) => (top.get(name) ?? "").trim();
  // Some terminals write the code next to `Extra` instead of inside.
  const code = (name: string) => (extra.get(name) ?? "").trim() || word(name);
  return {
    response: word("Response"),
    procReturnCode: word("ProcReturnCode"),
    orderId: word("OrderId"),
    transId: word("TransId"),
    authCode: word("AuthCode"),
    errorCode: code("ERRORCODE"),
    numCode: code("NUMCODE"),
    errMsg: word("ErrMsg"),
    extra,
  };
}

/**
 * Decodes as the answer declares it, in its header first. Answers without any declaration are in ISO-8859-9; all of
 * their names and codes are ASCII.
 */
export function decodeBytes(bytes: Buffer, contentType: string): string | undefined {
  const declared =
    /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ??
    /^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]+)/.exec(bytes.toString("latin1", 0, 200))?.[1] ??
    "iso-8859-9";
  if (!ENCODINGS.has(declared.toLowerCase())) return undefined;
  try {
    return new TextDecoder(declared, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Encodings in which an ASCII byte is an ASCII character and nothing else. */
const ENCODINGS: ReadonlySet<string> = new Set([
  "iso-8859-9",
  "windows-1254",
  "iso-8859-1",
  "windows-1252",
  "us-ascii",
  "utf-8",
]);

type Elements = { top: ReadonlyMap<string, string>; extra: ReadonlyMap<string, string> };

function parseElements(text: string): Elements | undefined {
  const top = new Map<string, string>();
  const extra = new Map<string, string>();
  const path: string[] = [];
  let content = "";
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  // Without a document type there are no entities but the five, and nothing that grows.
  parser.on("doctype", () => {
    throw new NotAnAnswerError();
  });
  parser.on("opentag", ({ name }) => {
    if (path.push(name) > DEPTH_MAX || path[0] !== "CC5Response") throw new NotAnAnswerError();
    content = "";
  });
  parser.on("text", (part) => (content += part));
  parser.on("cdata", (part) => (content += part));
  parser.on("closetag", ({ name }) => {
    path.pop();
    if (path.length === 1) keep(top, name, content);
    else if (path.length === 2 && path[1] === "Extra") keep(extra, name, content);
    content = "";
  });
  try {
    parser.write(text).close();
  } catch {
    return undefined;
  }
  return { top, extra };
}

function keep(elements: Map<string, string>, name: string, content: string): void {
  const known = elements.get(name);
  if (known === undefined) elements.set(name, content);
  else if (DECISIVE.test(name) && known.trim() !== content.trim()) throw new NotAnAnswerError();
}

class NotAnAnswerError extends Error {
  override name = "NotAnAnswerError";
}

/** Elements that decide about money. Campaign fields may be repeated as a bank likes. */
const DECISIVE = /^(?:Response|ProcReturnCode|OrderId|TransId|AuthCode|ERRORCODE|NUMCODE|TRXCOUNT|TRX\d+)$/;

/** `CC5Response/Extra/NAME`, and a little for elements that are not read. */
const DEPTH_MAX = 8;
