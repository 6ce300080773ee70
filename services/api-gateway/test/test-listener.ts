import { Router } from "express";
import { createFairRoom } from "@holdfast/http-server";
import { captureLog } from "@holdfast/tests/support";
import { expect, onTestFinished } from "vitest";
import type { Exchange } from "../src/http/exchange.ts";
import { startListener, type ListenerOptions } from "../src/http/listener.ts";
import { readBody } from "../src/http/read-body.ts";
import type { Refusal } from "../src/http/refusal.ts";
import { requestHandler } from "../src/http/routed-request.ts";

/**
 * A listener with routes that need no other service: `/held` is answered when the test says so, `/body` reads
 * a body, and `/upload` receives one.
 */
export async function startTestListener(
  options: Partial<
    Pick<ListenerOptions, "timeouts" | "clientAddress" | "connectionsMax" | "tls" | "certificateIntervalMs">
  > = {},
) {
  const captured = captureLog("api-gateway");
  const held: Exchange[] = [];
  const bodies: (Buffer | Refusal)[] = [];
  const router = Router({ caseSensitive: true, strict: true });
  const handle = (path: string, handler: Parameters<typeof requestHandler>[0]) =>
    router.all(path, requestHandler(handler));
  handle("/held", (_request, exchange) => void held.push(exchange));
  handle("/ok", (_request, exchange) => exchange.answer(200, undefined, "{}"));
  handle("/items/:id", (_request, exchange) => exchange.answer(200, undefined, "{}"));
  const limit = createFairRoom({ placesMax: 1_000, bytesMax: 100_000_000 });
  const arrived: string[] = [];
  handle("/body", async (_request, exchange) => {
    arrived.push(exchange.requestId);
    bodies.push(await readBody(exchange, { limit, client: "" }));
    exchange.answer(200, undefined, "{}");
  });
  const uploads: string[] = [];
  handle("/upload", async (request, exchange) => {
    exchange.isUpload = true;
    uploads.push(exchange.requestId);
    for await (const _chunk of request);
    exchange.answer(200, undefined, "{}");
  });
  handle("/throws", () => {
    throw new Error("a bug with the number 4111111111111111 in it");
  });
  handle("/rejects", async () => Promise.reject(new TypeError("a bug")));
  const listener = await startListener({
    name: "merchant",
    host: "127.0.0.1",
    port: 0,
    router,
    log: captured.log,
    connectionsMax: 1_000,
    ...options,
  });
  onTestFinished(() => listener.stop(0));
  const answerHeld = () => held.shift()!.answer(200, undefined, '{"held": true}');
  return { ...captured, port: listener.port, listener, held, arrived, bodies, uploads, answerHeld };
}

export async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 5 }).toBe(true);
}

export const HEAD = "Host: localhost\r\n";
export const JSON_HEAD = `${HEAD}Content-Type: application/json\r\n`;
