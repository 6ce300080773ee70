import { ANSWER_HEAD_BYTES_MAX, INTERIM_ANSWERS_MAX } from "@holdfast/service-runtime";

/**
 * Reads one answer of HTTP/1.1 from its bytes as they arrive (RFC 9112), with bounds on everything, passing over interim
 * answers (RFC 9110, 15.2). The status decides about a delivery; the rest says only whether the connection can be used
 * again. So whatever is unusual about the head makes the answer broken, and whatever is unusual about the body makes it
 * one after which the connection is closed.
 */
export class AnswerReader {
  /** `head`: nothing final yet. `body`: the status is known. `whole`: complete. `broken`: not HTTP. */
  state: "head" | "body" | "whole" | "broken" = "head";
  statusCode = 0;
  /** True as soon as anything has arrived: the request was taken. */
  hasBegun = false;
  /**
   * The time for which the peer keeps the connection, if it says so; 0 if the connection cannot be used
   * again.
   */
  keepAliveMs = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #lineStart = 0;
  #interim = 0;
  #framing: Framing = { kind: "to_close" };

  push(chunk: Buffer): void {
    this.hasBegun = true;
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    while (this.state === "head" && this.#readHead());
    if (this.state === "body" && bodyOf(this.#bytes, this.#framing).isWhole) this.state = "whole";
  }

  /** The beginning of the body, as far as it has arrived. */
  get body(): Buffer {
    return bodyOf(this.#bytes, this.#framing).body.subarray(0, BODY_BYTES_MAX);
  }

  /** True if more of the body has arrived than is read. */
  get isTooLong(): boolean {
    return (
      bodyOf(this.#bytes, this.#framing).body.length > BODY_BYTES_MAX || this.#bytes.length > RAW_BYTES_MAX
    );
  }

  /** @returns true if an interim answer was skipped, and the next answer has to be read. */
  #readHead(): boolean {
    for (;;) {
      const lineEnd = this.#bytes.indexOf(LF, this.#lineStart);
      if ((lineEnd === -1 ? this.#bytes.length : lineEnd) > ANSWER_HEAD_BYTES_MAX) return this.#break();
      if (!isBeginning(this.#bytes)) return this.#break();
      if (lineEnd === -1) return false;
      if (this.#bytes[lineEnd - 1] !== CR) return this.#break();
      const isEmpty = lineEnd === this.#lineStart + 1;
      this.#lineStart = lineEnd + 1;
      if (isEmpty) break;
    }
    const head = parseHead(this.#bytes.toString("latin1", 0, this.#lineStart - 4));
    if (!head || head.status === 101) return this.#break();
    this.#bytes = this.#bytes.subarray(this.#lineStart);
    this.#lineStart = 0;
    if (head.status < 200) return ++this.#interim > INTERIM_ANSWERS_MAX ? this.#break() : true;
    this.state = "body";
    this.statusCode = head.status;
    this.keepAliveMs = head.keepAliveMs;
    this.#framing = head.framing;
    return false;
  }

  #break(): false {
    this.state = "broken";
    return false;
  }
}

export const BODY_BYTES_MAX = 1_024;
/** A body of one KiB in chunks of one byte has six times as many bytes. */
const RAW_BYTES_MAX = 8 * BODY_BYTES_MAX;

const CR = 13;
const LF = 10;
const BEGINNING = "HTTP/1.";

function isBeginning(bytes: Buffer): boolean {
  return BEGINNING.startsWith(bytes.toString("latin1", 0, BEGINNING.length));
}

/** The end of a body: after so many bytes, after the last chunk, or with the connection. */
type Framing = { kind: "length"; length: number } | { kind: "chunked" } | { kind: "to_close" };

type Head = { status: number; framing: Framing; keepAliveMs: number };

/** A status line and fields, without the empty line. */
const HEAD = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [^\0\r\n]*)?(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\0\r\n]*)*$/;
const FIELDS = /\r\n(content-length|transfer-encoding|connection|keep-alive):([^\r]*)/gi;

function parseHead(text: string): Head | undefined {
  const [, minor, status] = HEAD.exec(text) ?? [];
  if (status === undefined) return undefined;
  const values = { "content-length": "", "transfer-encoding": "", connection: "", "keep-alive": "" };
  for (const [, name, value] of text.matchAll(FIELDS)) {
    const key = name!.toLowerCase() as keyof typeof values;
    values[key] += `${values[key] && ","}${value!.trim()}`;
  }
  const {
    "content-length": length,
    "transfer-encoding": encoding,
    connection,
    "keep-alive": keepAlive,
  } = values;
  if (length !== "" && (encoding !== "" || !/^\d{1,15}$/.test(length))) return undefined;
  const isKept = minor === "1" && !/\bclose\b/i.test(connection);
  const timeoutS = /\btimeout=(\d{1,9})/i.exec(keepAlive)?.[1];
  return {
    status: Number(status),
    framing: framingOf(Number(status), length, encoding),
    keepAliveMs: !isKept ? 0 : timeoutS === undefined ? Infinity : Number(timeoutS) * 1_000,
  };
}

function framingOf(status: number, length: string, encoding: string): Framing {
  if (status < 200 || status === 204 || status === 304) return { kind: "length", length: 0 };
  if (encoding !== "") return { kind: encoding.toLowerCase() === "chunked" ? "chunked" : "to_close" };
  return length === "" ? { kind: "to_close" } : { kind: "length", length: Number(length) };
}

type Body = { body: Buffer; isWhole: boolean };

/** A body that is followed by something is not whole: that would be read as the next answer. */
function bodyOf(bytes: Buffer, framing: Framing): Body {
  switch (framing.kind) {
    case "length":
      return { body: bytes, isWhole: bytes.length === framing.length };
    case "chunked":
      return unchunk(bytes);
    case "to_close":
      return { body: bytes, isWhole: false };
    default:
      return framing satisfies never;
  }
}

function unchunk(bytes: Buffer): Body {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf("\r\n", at, "latin1");
    const size =
      lineEnd === -1
        ? undefined
        : /^[0-9a-f]{1,8}(?=$|[;\t ])/i.exec(bytes.toString("latin1", at, lineEnd))?.[0];
    if (size === undefined) return { body: Buffer.concat(chunks), isWhole: false };
    const start = lineEnd + 2;
    const end = start + Number.parseInt(size, 16);
    if (end === start)
      return { body: Buffer.concat(chunks), isWhole: bytes.toString("latin1", start) === "\r\n" };
    chunks.push(bytes.subarray(start, end));
    if (bytes.toString("latin1", end, end + 2) !== "\r\n")
      return { body: Buffer.concat(chunks), isWhole: false };
    at = end + 2;
  }
}
