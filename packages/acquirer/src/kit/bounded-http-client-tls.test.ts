import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { localCertificates } from "@holdfast/sandbox/infrastructure";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { noting } from "../unreached.ts";
import { BoundedHttpClient } from "./bounded-http-client.ts";

type Certificates = { ca: string; cert: Buffer; key: Buffer };

const trustedByDefault = getCACertificates("default");
const dir = mkdtempSync(join(tmpdir(), "holdfast-acquirer-tls-"));
let bank: Certificates;
let servers: Server[] = [];
let requests = 0;

beforeAll(async () => {
  bank = await certificatesIn("bank");
});
beforeEach(() => {
  requests = 0;
  setDefaultCACertificates([...trustedByDefault, bank.ca]);
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});
afterAll(() => {
  setDefaultCACertificates(trustedByDefault);
  rmSync(dir, { recursive: true, force: true });
});

test("a bank whose certificate is for its name, in its time, and of a trusted authority is spoken to", async () => {
  expect(await call("localhost", await listen(bank))).toMatchObject({ kind: "answered", status: 200 });
  expect(requests).toBe(1);
});

test("no other is sent anything: not one for another name", async () => {
  expect(await call("127.0.0.2", await listen(bank))).toEqual({ kind: "not_sent" });
  expect(requests).toBe(0);
});

test("not one of an authority that is not trusted", async () => {
  expect(await call("localhost", await listen(await certificatesIn("stranger")))).toEqual({
    kind: "not_sent",
  });
  expect(requests).toBe(0);
});

test.each([
  ["another name", "127.0.0.2", () => bank, "Hostname/IP does not match certificate's altnames"],
  ["an unknown authority", "localhost", async () => await certificatesIn("other"), "unable to verify"],
])("the verifier's words are noted for a certificate of %s", async (_case, host, certificates, words) => {
  const port = await listen(await certificates());
  const { unreached } = await noting(async () => await call(host, port));
  expect(unreached).toEqual({ cause: "tls", detail: expect.stringContaining(words) });
});

test("not one that is out of its time", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 500 * 86_400_000 });
  const past = await certificatesIn("past");
  vi.useRealTimers();
  setDefaultCACertificates([...trustedByDefault, past.ca]);
  expect(await call("localhost", await listen(past))).toEqual({ kind: "not_sent" });
  expect(requests).toBe(0);
});

test("not one that speaks TLS 1.1 at most", async () => {
  const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  expect(await call("localhost", await listen(bank, old))).toEqual({ kind: "not_sent" });
  expect(requests).toBe(0);
});

async function certificatesIn(name: string): Promise<Certificates> {
  const files = await localCertificates(join(dir, name));
  return {
    ca: readFileSync(files.caFile, "utf8"),
    cert: readFileSync(files.certFile),
    key: readFileSync(files.keyFile),
  };
}

async function listen({ cert, key }: Certificates, options: ServerOptions = {}): Promise<number> {
  const server = createServer({ cert, key, ...options }, (_request, response) => {
    requests++;
    response.end("{}");
  });
  servers.push(server);
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function call(host: string, port: number) {
  const client = new BoundedHttpClient({
    url: `https://${host}:${port}`,
    connectTimeoutMs: 60_000,
    connectionsMax: 1,
  });
  const answer = await client.exchange(
    { method: "POST", path: "/", body: "{}" },
    new Date(Date.now() + 60_000),
  );
  await client.close();
  return answer;
}
