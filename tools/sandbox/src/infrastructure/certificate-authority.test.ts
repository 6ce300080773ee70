import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localCertificates, type LocalCertificates } from "./certificate-authority.ts";

let dir: string;
let files: LocalCertificates;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-ca-"));
  files = await localCertificates(dir);
});
afterAll(() => rmSync(dir, { recursive: true }));

test("a client that trusts the CA accepts the server under each of its names", async () => {
  const server = createServer(
    { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) },
    (_, response) => response.end("ok"),
  );
  server.listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  for (const name of ["localhost", "127.0.0.1"]) {
    const request = get({ host: name, port, ca: readFileSync(files.caFile), agent: false });
    const [response] = await once(request, "response");
    expect(response.statusCode).toBe(200);
    response.resume();
  }
  server.close();
});

test("certificates are kept, and made anew once their key does not fit", async () => {
  const before = readFileSync(files.certFile, "utf8");
  expect(await localCertificates(dir)).toEqual(files);
  expect(readFileSync(files.certFile, "utf8")).toBe(before);
  rmSync(files.keyFile);
  await localCertificates(dir);
  expect(readFileSync(files.certFile, "utf8")).not.toBe(before);
  for (const key of [files.keyFile, join(dir, "ca-key.pem")]) expect(statSync(key).mode & 0o777).toBe(0o600);
});
