import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { onTestFinished, vi } from "vitest";

import type { BankConfig, Posting, Protocol, Simulator, StartOptions } from "../index.ts";

export type Answered<Body> = { status: number; body: Body };

/** A bank in this process with a ledger of its own, which is removed at the end. `restart` keeps the ledger. */
export async function startBankOf<Config extends BankConfig, Line>(
  { start }: Pick<Protocol<Config>, "start">,
  options: Omit<StartOptions<Config>, "ledgerFile">,
) {
  const folder = await mkdtemp(join(tmpdir(), "bank-"));
  const ledgerFile = join(folder, "ledger.ndjson");
  const begin = (changes: Partial<Config> = {}) =>
    start({ ledgerFile, hangMs: 50, latenessMs: 50, ...options, ...changes });
  let simulator: Simulator = await begin();
  const send = (method: string, path: string, body?: object | string) =>
    fetch(`${simulator.url}${path}`, {
      method,
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  /** A call that has to succeed. */
  const ask = async (method: string, path: string, body?: object | string): Promise<string> => {
    const response = await send(method, path, body);
    if (response.status !== 200) throw new Error(`${method} ${path} was answered ${response.status}`);
    return await response.text();
  };
  return {
    get simulator() {
      return simulator;
    },
    get url() {
      return simulator.url;
    },
    ledgerFile,
    /** A call, and its answer where that is JSON. */
    call: async <Body = Record<string, unknown>>(
      method: string,
      path: string,
      body?: object | string,
    ): Promise<Answered<Body>> => {
      const response = await send(method, path, body);
      return { status: response.status, body: jsonOf(await response.text()) as Body };
    },
    ask,
    fault: (operation: string, behaviour: string, times = 1) =>
      ask("POST", "/faults", { operation, behaviour, times }),
    modes: (changes: object) => ask("PUT", "/modes", changes),
    endDay: () => ask("POST", "/business-day/close"),
    advance: (advanceSeconds: number) => ask("POST", "/clock", { advanceSeconds }),
    ledger: async (query = "") => linesOf<Line>(await ask("GET", `/ledger${query}`)),
    restart: async (changes?: Partial<Config>) => {
      await simulator.close();
      simulator = await begin(changes);
    },
    [Symbol.asyncDispose]: async () => {
      await simulator.close();
      await rm(folder, { recursive: true });
    },
  };
}

function jsonOf(read: string): unknown {
  try {
    return JSON.parse(read);
  } catch {
    return undefined;
  }
}

function linesOf<Line>(read: string): Line[] {
  const lines = read.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Line);
}

/** A merchant's server, which keeps what a bank posts to it and answers with `answers`, then with 200. */
export async function startReceiver() {
  const received: { headers: IncomingMessage["headers"]; body: string }[] = [];
  const answers: { status?: number; body?: string }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body });
      const { status = 200, body: words } = answers.shift() ?? {};
      return response.writeHead(status).end(words);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { received, answers, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** A page with a form, as a browser without scripts sees it. */
export type Page = { status: number; html: string; action: string; fields: Record<string, string> };

export function readPage(html: string, status = 200): Page {
  const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? "";
  const inputs = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const fields = [...inputs].map(([, name = "", value = ""]) => [unescape(name), unescape(value)] as const);
  return { status, html, action: unescape(action), fields: Object.fromEntries(fields) };
}

function unescape(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

/** Posts a form as a browser does. */
export async function submit(url: string, fields: Record<string, string> | URLSearchParams): Promise<Page> {
  const response = await fetch(url, { method: "POST", body: new URLSearchParams(fields) });
  return readPage(await response.text(), response.status);
}

export async function fileHandlePrototype(): Promise<FileHandle> {
  const handle = await open(tmpdir());
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

/** Holds every fsync until it is opened; `reached` resolves when the first has begun. */
export async function gatedDisk() {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const datasync = vi.spyOn(await fileHandlePrototype(), "datasync").mockImplementation(() => {
    reached.resolve();
    return gate.promise;
  });
  return { open: gate.resolve, reached: reached.promise, syncs: () => datasync.mock.calls.length };
}

/** A sale of 1.00 EUR, represented by a line with an id. */
export function saleOf({ id, at }: { id: string; at: string }): Posting {
  const sale = { operation: "sale", merchant: "m", order: id, id, of: undefined } as const;
  return { ...sale, amountMinor: 100n, currency: "EUR", isApproved: true, atMs: Date.parse(at) };
}
