import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request as the bank received it. `fields` is its body, as the protocol reads it. */
export type Received<Fields> = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
  fields: Fields;
};

/** Writes an answer, or none. */
export type Answer<Fields> = (response: ServerResponse, received: Received<Fields>) => void;

/** A whole answer. A status of 0 cuts the connection. */
export type ScriptedAnswer = { status?: number; contentType?: string; body: string | Buffer };

/** @param xml the content type of an answer that names none itself. */
export function written(answer: string | ScriptedAnswer, xml: string): Answer<unknown> {
  const { status = 200, contentType = xml, body } = typeof answer === "string" ? { body: answer } : answer;
  return (response) => {
    if (status === 0) response.destroy();
    else response.writeHead(status, { "content-type": contentType }).end(body);
  };
}

/**
 * A bank that gives a test's queued answers, one for each request, and keeps the requests.
 * @param otherwise answers when the queue is empty.
 */
export async function startScriptedServer<Fields>(
  fieldsOf: (body: string) => Fields,
  otherwise: Answer<Fields> = (response) => response.writeHead(500).end("nothing is scripted"),
) {
  const received: Received<Fields>[] = [];
  const line: Answer<Fields>[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const { pathname: path, searchParams: query } = new URL(request.url!, "http://bank");
    const { method = "", headers } = request;
    const got = { method, path, query, headers, body, fields: fieldsOf(body) };
    received.push(got);
    (line.shift() ?? otherwise)(response, got);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    /** Forgets the requests, and gives these answers from here on. */
    answers(...next: Answer<Fields>[]) {
      received.length = 0;
      line.splice(0, Infinity, ...next);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
