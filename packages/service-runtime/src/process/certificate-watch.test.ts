import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import {
  issueAuthority,
  issueForLocalhost,
  type CertificatePair,
} from "@holdfast/sandbox/infrastructure/issue-certificate";
import { prometheusText, telemetrySettings } from "@holdfast/telemetry";
import { startTelemetry } from "@holdfast/telemetry/start";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { dependencyServers, startCertificateWatch } from "./certificate-watch.ts";
import { commonSettings } from "../settings/config.ts";

const DAY_S = 24 * 3_600;

/** A server that begins TLS as PostgreSQL, NATS or a plain TLS server does, and serves the present `pair`. */
async function serve(
  preamble: "postgres" | "nats" | undefined,
  pair: () => CertificatePair,
): Promise<number> {
  const secure = (socket: Socket) => {
    const { certificate: cert, key } = pair();
    new TLSSocket(socket, { isServer: true, secureContext: createSecureContext({ cert, key }) }).on(
      "error",
      () => {},
    );
  };
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    if (preamble === "nats") socket.write('INFO {"tls_required":true}\r\n');
    if (preamble !== "postgres") return secure(socket);
    socket.once("data", (request: Buffer) => {
      expect(request.toString("hex")).toBe("0000000804d2162f");
      socket.write("S", () => secure(socket));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function measured(server: string): Promise<number> {
  const text = (await prometheusText()) ?? "";
  const line = text
    .split("\n")
    .find(
      (one) =>
        one.startsWith("holdfast_tls_certificate_expires_in_seconds") && one.includes(`server="${server}"`),
    );
  return Number(line?.split(" ").at(-1)) / DAY_S;
}

test("what is measured is the end of the certificate that is really served", async () => {
  const telemetry = await startTelemetry({
    name: "payments",
    isEdge: false,
    settings: z.object({ ...telemetrySettings, TRACE_SLOW_AFTER: commonSettings.TRACE_SLOW_AFTER }).parse({}),
    onTrouble: () => {},
  });
  onTestFinished(() => telemetry.stop(1_000));
  const authority = await issueAuthority();
  const fresh = await issueForLocalhost(authority);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 400 * DAY_S * 1_000 });
  const expired = await issueForLocalhost(authority).finally(() => vi.useRealTimers());
  let served = expired;
  const port = await serve(undefined, () => served);
  const [nats, postgres] = [await serve("nats", () => fresh), await serve("postgres", () => fresh)];
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const watch = startCertificateWatch({
    watched: [
      { name: "merchant", servers: [{ host: "127.0.0.1", port }] },
      { name: "silent", servers: [{ host: "127.0.0.1", port: 1 }] },
      ...dependencyServers({
        DATABASE_URL: `postgres://u:p@127.0.0.1:${postgres}/x?sslmode=verify-full`,
        NATS_URL: `tls://127.0.0.1:${nats}`,
      }),
    ],
    intervalMs: 10,
    log,
  });
  onTestFinished(() => watch.stop(1_000));
  // The certificates are issued for 397 days.
  await expect.poll(() => measured("merchant")).toBeCloseTo(-3, 0);
  await expect.poll(() => measured("nats")).toBeCloseTo(397, 0);
  await expect.poll(() => measured("postgres")).toBeCloseTo(397, 0);
  served = fresh;
  await expect.poll(() => measured("merchant")).toBeCloseTo(397, 0);
  expect(await measured("silent")).toBeNaN();
  expect(lines.filter((line) => line.includes("could not be seen"))).toHaveLength(1);
});

test("only what is reached over TLS is looked at", () => {
  const settings = { DATABASE_URL: "postgres://u:p@localhost/x", NATS_URL: "nats://localhost:4222" };
  expect(dependencyServers(settings)).toEqual([]);
  expect(dependencyServers({ ...settings, NATS_URL: "tls://a,tls://[::1]:4223" })).toMatchObject([
    {
      name: "nats",
      servers: [
        { host: "a", port: 4222 },
        { host: "::1", port: 4223 },
      ],
    },
  ]);
});
