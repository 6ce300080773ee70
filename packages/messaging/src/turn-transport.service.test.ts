import { mkdtemp, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { localCertificates } from "@holdfast/sandbox/infrastructure";
import { eventually, startTestNats } from "@holdfast/tests/support";
import { connect as connectPlainly, type NatsConnection } from "@nats-io/transport-node";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectByTurns } from "./turn-transport.ts";

test("frames of one turn are one write, in their order, also after a reconnect", async () => {
  const { nats, connection, observer, received } = await start();
  await sendInOneTurn(connection, ["a", "b", "c"]);
  // Until then the server may have it, and lose it with its end.
  await eventually(() => expect(received).toContain("c"));
  await nats.kill();
  await nats.restart();
  for (const each of [connection, observer]) await eventually(() => each.flush());
  await sendInOneTurn(connection, ["d", "e"]);
  await eventually(() => expect(received.filter((text) => text !== "")).toEqual(["a", "b", "c", "d", "e"]));
});

test("what was sent before close is there, though the turn has not ended", async () => {
  const { connection, received } = await start();
  const texts = Array.from({ length: 50 }, (_, index) => `${index}`);
  const write = vi.spyOn(socketOf(connection), "write");
  await publishEach(connection, texts);
  expect(write).not.toHaveBeenCalled();
  await connection.close();
  await eventually(() => expect(received).toEqual(texts));
});

test("drain answers what came before it", async () => {
  const { connection, observer } = await start();
  connection.subscribe("ask", { callback: (_error, message) => void message.respond("answer") });
  await connection.flush();
  const asked = Array.from({ length: 50 }, () => observer.request("ask", "", { timeout: 60_000 }));
  await observer.flush();
  await connection.drain();
  const answers = await Promise.all(asked);
  expect(answers.map((answer) => answer.string())).toEqual(asked.map(() => "answer"));
});

test("more than a turn may gather is written before its end", async () => {
  const { connection, received } = await start();
  const write = vi.spyOn(socketOf(connection), "write");
  const large = "x".repeat(200_000);
  await publishEach(connection, [large, large]);
  expect(write).toHaveBeenCalledTimes(1);
  await connection.flush();
  await eventually(() => expect(received).toEqual([large, large]));
});

test("over TLS as without it", async () => {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-turns-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const { certFile, keyFile, caFile } = await localCertificates(dir);
  const configFile = join(dir, "nats.conf");
  writeFileSync(configFile, `tls { cert_file: "${certFile}", key_file: "${keyFile}" }`);
  const { connection, received } = await start({ configFile, caFile });
  expect(socketOf(connection)).toBeInstanceOf(TLSSocket);
  await sendInOneTurn(connection, ["a", "b", "c"]);
  await eventually(() => expect(received).toEqual(["a", "b", "c"]));
});

async function start({ configFile, caFile }: { configFile?: string; caFile?: string } = {}) {
  const nats = await startTestNats(configFile === undefined ? {} : { configFile });
  onTestFinished(() => nats.stop());
  const options = {
    servers: nats.url.replace("127.0.0.1", "localhost"),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 20,
    ...(caFile !== undefined && { tls: { caFile } }),
  };
  const observer = await connectPlainly(options);
  onTestFinished(() => observer.close());
  const received: string[] = [];
  observer.subscribe("turn", { callback: (_error, message) => void received.push(message.string()) });
  await observer.flush();
  const connection = await connectByTurns(options);
  onTestFinished(() => connection.close());
  return { nats, connection, observer, received };
}

/** Each in a microtask of its own, for which the client has a frame of its own. */
async function publishEach(connection: NatsConnection, texts: string[]): Promise<void> {
  for (const text of texts) {
    connection.publish("turn", text);
    await Promise.resolve();
    await Promise.resolve();
  }
}

async function sendInOneTurn(connection: NatsConnection, texts: string[]): Promise<void> {
  await connection.flush();
  const write = vi.spyOn(socketOf(connection), "write");
  await publishEach(connection, texts);
  expect(write).not.toHaveBeenCalled();
  await new Promise(setImmediate);
  expect(write).toHaveBeenCalledTimes(1);
  write.mockRestore();
}

function socketOf(connection: NatsConnection): Socket {
  return (connection as unknown as { protocol: { transport: { socket: Socket } } }).protocol.transport.socket;
}
