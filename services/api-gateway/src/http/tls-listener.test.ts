import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConnectionOptions, TLSSocket } from "node:tls";
import {
  issueAuthority,
  issueClient,
  issueForLocalhost,
  type CertificatePair,
} from "@holdfast/sandbox/infrastructure/issue-certificate";
import type { TlsFiles } from "@holdfast/http-server";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { parseRaw, sendRaw } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { HEAD, JSON_HEAD, startTestListener, until } from "../../test/test-listener.ts";
import { connectTls, readAll, sendOverTls } from "../../test/tls-client.ts";
import { createClientAddress } from "@holdfast/http-server";
import { CLIENT_TIMEOUTS } from "./listener.ts";

let dir: string;
let authority: CertificatePair;
let server: CertificatePair;
let ca: ConnectionOptions;
let tls: TlsFiles;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-listener-"));
  authority = await issueAuthority();
  server = await issueForLocalhost(authority);
  ca = { ca: authority.certificate };
  tls = await filesOf("first", server);
});
afterAll(() => rm(dir, { recursive: true }));

/** Two files in a directory of their own. */
async function filesOf(name: string, { certificate, key }: CertificatePair): Promise<TlsFiles> {
  const files = { certFile: join(dir, `${name}.pem`), keyFile: join(dir, `${name}-key.pem`) };
  await writeFile(files.certFile, certificate);
  await writeFile(files.keyFile, key);
  return files;
}

const GET_OK = `GET /ok HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`;

describe("a listener with a certificate", () => {
  test("answers over TLS 1.2 and 1.3, in HTTP/1.1, and sees the client's address as before", async () => {
    const { port, lines } = await startTestListener({
      tls,
      clientAddress: createClientAddress(["127.0.0.0/8"]),
    });
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const socket = await connectTls(port, { ...ca, maxVersion, ALPNProtocols: ["h2", "http/1.1"] });
      expect([socket.getProtocol(), socket.alpnProtocol]).toEqual([maxVersion, "http/1.1"]);
      socket.write(GET_OK.replace("\r\n\r\n", "\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n"));
      expect(parseRaw(await readAll(socket))).toMatchObject({ status: 200 });
    }
    await until(() => lines.length === 2);
    expect(lines).toMatchObject([{ clientAddress: "203.0.113.9" }, { clientAddress: "203.0.113.9" }]);
  });

  test.each<[string, ConnectionOptions, string]>([
    [
      "TLS 1.1",
      { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
      "PROTOCOL_VERSION",
    ],
    ["HTTP/2 alone", { ALPNProtocols: ["h2"] }, "NO_APPLICATION_PROTOCOL"],
    [
      "a cipher without forward secrecy or authentication alone",
      { maxVersion: "TLSv1.2", ciphers: "AES128-SHA:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA256" },
      "HANDSHAKE_FAILURE",
    ],
  ])("does not speak %s", async (_name, options, reason) => {
    const { port } = await startTestListener({ tls });
    await expect(connectTls(port, { ...ca, ...options })).rejects.toThrow(
      new RegExp(reason.replaceAll("_", "[_ ]"), "i"),
    );
  });

  test("negotiates nothing anew within a connection", async () => {
    const { port } = await startTestListener({ tls });
    const socket = await connectTls(port, { ...ca, maxVersion: "TLSv1.2" });
    const refused = new Promise((resolve) => socket.once("error", resolve));
    socket.renegotiate({}, () => {});
    expect(await refused).toMatchObject({ code: "ERR_SSL_NO_RENEGOTIATION" });
  });

  test("closes a connection that speaks plain HTTP, and says so in one line a second", async () => {
    const { port, lines } = await startTestListener({ tls });
    for (let count = 0; count < 3; count++) {
      expect(await sendRaw(port, GET_OK).catch((error: NodeJS.ErrnoException) => error.code)).toMatch(
        /^(|ECONNRESET)$/,
      );
    }
    await until(() => lines.length === 1);
    expect(lines[0]).toMatchObject({ level: "warn", count: 3, code: "ERR_SSL_HTTP_REQUEST" });
    expect(parseRaw(await sendOverTls(port, ca, GET_OK)).status).toBe(200);
  });

  test("answers broken HTTP as a problem", async () => {
    const { port } = await startTestListener({ tls });
    expectProblem(parseRaw(await sendOverTls(port, ca, "hello\r\n\r\n")), "malformed_request");
    const smuggled = `POST /body HTTP/1.1\r\n${JSON_HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expectProblem(parseRaw(await sendOverTls(port, ca, smuggled, GET_OK)), "malformed_request");
  });

  test("lets garbage behind a request under way wait for its answer", async () => {
    const { port, held, answerHeld } = await startTestListener({ tls });
    const answered = sendOverTls(port, ca, `GET /held HTTP/1.1\r\n${HEAD}\r\ngarbage\r\n\r\n`);
    await until(() => held.length === 1);
    answerHeld();
    expect(parseRaw(await answered)).toMatchObject({ status: 200, headers: { connection: "close" } });
  });
});

/** A listener that looks at its clients often, with only those time-outs that are given. */
function startImpatient(given: Partial<typeof CLIENT_TIMEOUTS>) {
  const off = { headersTimeout: 0, requestTimeout: 0 };
  return startTestListener({
    tls,
    timeouts: { ...CLIENT_TIMEOUTS, connectionsCheckingInterval: 20, ...off, ...given },
  });
}

/** Sends one byte every few milliseconds until the connection is closed. */
function drip(socket: Socket, bytes: () => string | Buffer): void {
  const dripping = setInterval(() => socket.write(bytes()), 5);
  socket.on("error", () => {}).on("close", () => clearInterval(dripping));
  onTestFinished(() => {
    clearInterval(dripping);
    socket.destroy();
  });
}

/**
 * A byte that was under way when the listener cut the connection is answered by a reset, and what the kernel had for the
 * client is gone with it. Then the client tries again.
 */
async function expectTimeout(port: number, begin: string, byte: string): Promise<void> {
  await eventually(async () => {
    const socket = await connectTls(port, ca);
    socket.write(begin);
    drip(socket, () => byte);
    expectProblem(parseRaw(await readAll(socket)), "request_timeout");
  });
}

describe("a client is cut off", () => {
  test("that begins no handshake", async () => {
    const { port } = await startImpatient({ headersTimeout: 100 });
    const socket = connect(port, "127.0.0.1");
    expect(await once(socket.resume(), "close")).toEqual([false]);
  });

  test("that sends its handshake byte by byte", async () => {
    const { port } = await startImpatient({ headersTimeout: 200 });
    const socket = connect(port, "127.0.0.1");
    // The head of a record of 16 kB that never ends.
    const hello = Buffer.alloc(16_384);
    Buffer.from([0x16, 0x03, 0x01, 0x3f, 0xfb, 0x01, 0x00, 0x3f, 0xf7]).copy(hello);
    let sent = 0;
    drip(socket, () => hello.subarray(sent, ++sent));
    // A byte that was under way when the listener cut the connection is answered by a reset, which `once` would throw.
    await new Promise((resolve) => socket.resume().once("close", resolve));
    expect(sent).toBeLessThan(hello.length);
  });

  test("that says nothing after its handshake, with a 408", async () => {
    const { port } = await startImpatient({ headersTimeout: 200 });
    // On a busy machine the handshake alone may take that long, and then no client is left to answer.
    await eventually(async () => expectProblem(parseRaw(await sendOverTls(port, ca)), "request_timeout"));
  });

  test("that sends its headers byte by byte, with a 408", async () => {
    const { port } = await startImpatient({ headersTimeout: 200 });
    await expectTimeout(port, `GET /ok HTTP/1.1\r\n${HEAD}X-Slow: `, "x");
  });

  test("that sends its body byte by byte, with a 408", async () => {
    const { port } = await startImpatient({ requestTimeout: 300 });
    await expectTimeout(port, `POST /body HTTP/1.1\r\n${JSON_HEAD}Content-Length: 30000\r\n\r\n{`, " ");
  });

  test("that does not take its answer", async () => {
    const { port, held, lines } = await startImpatient({ answerTimeout: 200 });
    const socket = (await connectTls(port, ca)).pause();
    socket.write(`GET /held HTTP/1.1\r\n${HEAD}\r\n`);
    await until(() => held.length === 1);
    held[0]!.answer(200, undefined, "x".repeat(LARGER_THAN_KERNEL_BUFFERS));
    await until(() => lines.length === 1);
    expect((await readAll(socket.resume())).length).toBeLessThan(LARGER_THAN_KERNEL_BUFFERS);
  });

  const LARGER_THAN_KERNEL_BUFFERS = 64 * 1024 * 1024;
});

describe("connections are bounded", () => {
  const elsewhere = { localAddress: "127.0.0.2" };

  test("one too many closes the idlest of the address with most; another address notices nothing", async () => {
    const { port, lines } = await startTestListener({ tls, connectionsMax: 12 });
    const kept = await connectTls(port, ca);
    const many: TLSSocket[] = [];
    for (let count = 0; count < 13; count++)
      many.push((await connectTls(port, { ...ca, ...elsewhere })).resume());
    await until(() => many.filter(({ closed }) => closed).length === 2);
    expect(many.slice(0, 2).map(({ closed }) => closed)).toEqual([true, true]);
    await until(() => lines.length === 1);
    expect(lines[0]).toMatchObject({ level: "warn", listener: "merchant", dropped: 2 });
    kept.write(GET_OK);
    expect(parseRaw(await readAll(kept)).status).toBe(200);
  });

  test("those whose handshake is not over take a quarter of the places at most, and keep nobody out", async () => {
    const { port, lines } = await startTestListener({ tls, connectionsMax: 8 });
    const kept = await connectTls(port, ca);
    const silent = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const socket = connect({ port, host: "127.0.0.1", ...elsewhere });
        onTestFinished(() => void socket.destroy());
        await once(socket, "connect");
        return socket.resume();
      }),
    );
    await until(() => silent.filter(({ closed }) => closed).length === 3);
    expect(await sendOverTls(port, ca, GET_OK)).toContain("200 OK");
    await until(() => lines.some(({ msg }) => msg === "too many connections"));
    kept.write(GET_OK);
    expect(parseRaw(await readAll(kept)).status).toBe(200);
  });

  test("stopping waits neither for a handshake nor for one who has asked nothing", async () => {
    const { port, listener } = await startTestListener({ tls });
    const silent = connect(port, "127.0.0.1");
    await once(silent, "connect");
    await connectTls(port, ca);
    // Longer than the test may take.
    expect(await listener.stop(3_600_000)).toBeUndefined();
  });
});

describe("clients that have to show a certificate", () => {
  test("come in with one of the authority, and not without", async () => {
    const clientCaFile = join(dir, "client-ca.pem");
    await writeFile(clientCaFile, authority.certificate);
    const { port, lines, held } = await startTestListener({ tls: { ...tls, clientCaFile } });
    const ingress = await issueClient(authority, "ingress");
    const shown = { ...ca, cert: ingress.certificate, key: ingress.key };
    expect(parseRaw(await sendOverTls(port, shown, GET_OK)).status).toBe(200);
    const stranger = await issueClient(await issueAuthority(), "ingress");
    // With TLS 1.3 a client's own handshake is over before the server has seen its certificate.
    for (const options of [ca, { ...ca, cert: stranger.certificate, key: stranger.key }]) {
      expect(await sendOverTls(port, options, GET_OK)).toBe("");
    }
    expect(held).toEqual([]);
    await until(() => lines.length === 2);
    expect(lines).toMatchObject([{ statusCode: 200 }, { level: "warn", count: 2 }]);
  });
});

describe("when the files change", () => {
  /**
   * Mounts a pair as Kubernetes mounts a Secret: names link into a directory, and a link to that directory is replaced.
   */
  async function mount(pair: CertificatePair) {
    const volume = await mkdtemp(join(dir, "volume-"));
    let version = 0;
    const put = async (next: { certificate: string; key: string }) => {
      const data = `..v${++version}`;
      await mkdir(join(volume, data));
      await writeFile(join(volume, data, "tls.crt"), next.certificate);
      await writeFile(join(volume, data, "tls.key"), next.key);
      await symlink(data, join(volume, "..data_tmp"));
      await rename(join(volume, "..data_tmp"), join(volume, "..data"));
    };
    await put(pair);
    for (const name of ["tls.crt", "tls.key"]) await symlink(join("..data", name), join(volume, name));
    return { put, files: { certFile: join(volume, "tls.crt"), keyFile: join(volume, "tls.key") } };
  }

  const serialOf = ({ certificate }: CertificatePair) => new X509Certificate(certificate).serialNumber;

  async function servedSerial(port: number): Promise<string> {
    const socket = await connectTls(port, ca);
    const { serialNumber } = socket.getPeerX509Certificate()!;
    socket.destroy();
    return serialNumber;
  }

  test("the new certificate is served, and who is connected notices nothing", async () => {
    const { put, files } = await mount(server);
    const { port } = await startTestListener({ tls: files, certificateIntervalMs: 10 });
    expect(await servedSerial(port)).toBe(serialOf(server));
    const kept = await connectTls(port, ca);
    const renewed = await issueForLocalhost(authority);
    await put(renewed);
    await expect.poll(() => servedSerial(port)).toBe(serialOf(renewed));
    kept.write(GET_OK);
    expect(parseRaw(await readAll(kept)).status).toBe(200);
  });

  test("a pair that does not fit, or is none, leaves the old one, is told once, and is mended by the next", async () => {
    const { put, files } = await mount(server);
    const { port, lines } = await startTestListener({ tls: files, certificateIntervalMs: 10 });
    const other = await issueForLocalhost(authority);
    const errors = () => lines.filter(({ level }) => level === "error");
    for (const [index, broken] of [
      { ...other, key: server.key },
      { ...other, certificate: "no certificate" },
    ].entries()) {
      await put(broken);
      await until(() => errors().length === index + 1);
      expect(errors()[index]).toMatchObject({
        listener: "merchant",
        error: { code: "listener_certificate_unusable" },
      });
      expect(await servedSerial(port)).toBe(serialOf(server));
    }
    await rm(files.keyFile);
    await until(() => errors().length === 3);
    expect(errors()[2]).toMatchObject({ error: { message: `${files.keyFile} cannot be read (ENOENT)` } });
    await put(other);
    await symlink("..data/tls.key", files.keyFile);
    await expect.poll(() => servedSerial(port)).toBe(serialOf(other));
    expect(errors()).toHaveLength(3);
    expect(JSON.stringify(lines)).not.toContain("PRIVATE KEY");
  });

  test("an expired certificate is served and told as an error, so that the renewed one can follow", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 500 * 24 * 3_600_000 });
    const expired = await issueForLocalhost(authority).finally(() => vi.useRealTimers());
    const { put, files } = await mount(expired);
    const { port, lines } = await startTestListener({ tls: files, certificateIntervalMs: 10 });
    await expect(connectTls(port, ca)).rejects.toMatchObject({ code: "CERT_HAS_EXPIRED" });
    expect(lines[0]).toMatchObject({
      level: "error",
      msg: "the certificate that is served has expired",
      validTo: expect.any(String),
    });
    await put(server);
    await expect.poll(() => servedSerial(port).catch(() => "")).toBe(serialOf(server));
  });
});

describe("does not start", () => {
  test.each<[string, () => Promise<Partial<TlsFiles>>, RegExp]>([
    [
      "with a certificate of another key",
      async () => ({ keyFile: (await filesOf("other", await issueForLocalhost(authority))).keyFile }),
      /first\.pem, .*other-key\.pem: .*key values mismatch/,
    ],
    [
      "with a file that is not there",
      async () => ({ certFile: "/nowhere/tls.crt" }),
      /\/nowhere\/tls\.crt cannot be read \(ENOENT\)/,
    ],
    [
      "with a server's certificate as the clients' authority",
      async () => ({ clientCaFile: tls.certFile }),
      /first\.pem: the certificate is not a CA's/,
    ],
    ["with an authority that is none", async () => ({ clientCaFile: tls.keyFile }), /first-key\.pem/],
  ])("%s", async (_name, change, message) => {
    await expect(startTestListener({ tls: { ...tls, ...(await change()) } })).rejects.toThrow(message);
  });
});
