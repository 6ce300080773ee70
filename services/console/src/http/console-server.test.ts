import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";
import { issueAuthority, issueForLocalhost } from "@holdfast/sandbox/infrastructure/issue-certificate";
import { captureLog } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { startConsoleServer } from "./console-server.ts";

/** The console's listener over TLS, with few places. */
async function setUp(
  connectionsMax = 8,
  onRequest: RequestListener = (_request, response) => response.end("page"),
) {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-console-"));
  const authority = await issueAuthority();
  const { certificate, key } = await issueForLocalhost(authority);
  const tls = { certFile: join(dir, "tls.crt"), keyFile: join(dir, "tls.key") };
  await writeFile(tls.certFile, certificate);
  await writeFile(tls.keyFile, key);
  const { log } = captureLog("console");
  const server = await startConsoleServer(onRequest, {
    host: "127.0.0.1",
    port: 0,
    connectionsMax,
    tls,
    log,
  });
  onTestFinished(async () => {
    await server.stop(0);
    await rm(dir, { recursive: true });
  });
  const { port } = server;
  const open = async (options: ConnectionOptions = {}) => {
    const socket = connectTls({
      port,
      host: "127.0.0.1",
      servername: "localhost",
      ca: authority.certificate,
      ...options,
    });
    onTestFinished(() => void socket.destroy());
    await once(socket, "secureConnect");
    return socket.on("error", () => {});
  };
  const readPage = async () => {
    const socket = await open();
    socket.write("GET / HTTP/1.1\r\nHost: console\r\nConnection: close\r\n\r\n");
    let text = "";
    for await (const chunk of socket.setEncoding("utf8")) text += String(chunk);
    return text;
  };
  return { port, server, open, readPage };
}

test.each<[string, ConnectionOptions]>([
  ["TLS 1.1", { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }],
  [
    "a cipher in CBC mode",
    { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384" },
  ],
  ["an exchange of keys without forward secrecy", { maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" }],
  ["HTTP/2 alone", { ALPNProtocols: ["h2"] }],
])("the console does not speak %s", async (_name, options) => {
  const { open, readPage } = await setUp();
  await expect(open(options)).rejects.toThrow();
  expect(await readPage()).toContain("page");
});

test("the console negotiates nothing anew within a connection", async () => {
  const { open } = await setUp();
  const socket = await open({ maxVersion: "TLSv1.2" });
  const refused = new Promise((resolve) => socket.once("error", resolve));
  socket.renegotiate({}, () => {});
  expect(await refused).toMatchObject({ code: "ERR_SSL_NO_RENEGOTIATION" });
});

test("one address that begins handshakes, or has all connections, locks nobody out of the console", async () => {
  const { port, open, readPage } = await setUp(8);
  const elsewhere = { host: "127.0.0.1", localAddress: "127.0.0.2" };
  const idle: TLSSocket[] = [];
  for (let count = 0; count < 8; count++) idle.push((await open(elsewhere)).resume());
  const silent = Array.from({ length: 6 }, () => connect({ port, ...elsewhere }));
  onTestFinished(() => silent.forEach((socket) => socket.destroy()));
  await Promise.all(
    silent.map((socket) =>
      once(
        socket.resume().on("error", () => {}),
        "connect",
      ),
    ),
  );
  expect(await readPage()).toContain("page");
  await expect.poll(() => [...silent, ...idle].filter(({ closed }) => closed).length).toBeGreaterThan(4);
});

test.each([
  ["has not begun", false],
  ["has begun", true],
])(
  "at the stop an answer that %s is sent whole, and its connection takes nothing behind it",
  async (_which, begun) => {
    const answers: ServerResponse[] = [];
    const { server, open } = await setUp(8, (_request, response) => {
      answers.push(response);
      if (begun) response.write("<");
    });
    const socket = await open();
    const ask = () => socket.write("GET / HTTP/1.1\r\nHost: console\r\n\r\n");
    ask();
    await expect.poll(() => answers.length).toBe(1);
    // A time longer than the test may take.
    const stopped = server.stop(3_600_000);
    const received = text(socket);
    ask();
    answers[0]!.end("page");
    expect(await received).toContain("page");
    await stopped;
    expect(answers).toHaveLength(1);
  },
);
