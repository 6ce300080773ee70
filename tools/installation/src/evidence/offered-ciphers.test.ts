import { once } from "node:events";
import { createServer as createPlain, type AddressInfo, type Server } from "node:net";
import { createServer, type TlsOptions } from "node:tls";
import { issueAuthority, issueForLocalhost } from "@holdfast/sandbox/infrastructure/issue-certificate";
import { expect, onTestFinished, test } from "vitest";
import { offeredTls } from "./offered-ciphers.ts";

async function listen(server: Server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

async function startTls(options: TlsOptions) {
  const { certificate, key } = await issueForLocalhost(await issueAuthority());
  return await listen(createServer({ cert: certificate, key, ...options }).on("tlsClientError", () => {}));
}

test("every suite that a listener accepts is named, in its order, and no other", async () => {
  const ciphers = "TLS_AES_256_GCM_SHA384:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256";
  const server = await startTls({ ciphers, honorCipherOrder: true });
  expect(await offeredTls("merchant", server)).toMatchObject({
    listener: "merchant",
    suites: {
      "TLSv1.2": ["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-GCM-SHA256"],
      "TLSv1.3": ["TLS_AES_256_GCM_SHA384"],
    },
    faults: [],
    certificate: { key: expect.stringContaining("ec"), validTo: expect.stringMatching(/^20\d\d-/) },
  });
});

test("an old version, or a suite without authenticated encryption, is a fault", async () => {
  const old = await startTls({ minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" });
  expect((await offeredTls("old", old)).faults).toEqual(["it accepts TLSv1.1"]);
  const weak = await startTls({ maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-SHA" });
  expect(await offeredTls("weak", weak)).toMatchObject({
    faults: expect.arrayContaining(["it accepts ECDHE-ECDSA-AES128-SHA in TLSv1.2"]),
  });
});

test("a listener of plain text has no suite", async () => {
  const plain = await listen(createPlain((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  expect(await offeredTls("plain", plain)).toMatchObject({ suites: {}, faults: [] });
});
