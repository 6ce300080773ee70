// A file of an operator's list that is longer than the buffers between the gateway and its reader.
import { request, type IncomingMessage } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startExportSystem, type ExportSystem } from "./export-system.ts";
import { insertDeliveries } from "./exported-lists.ts";

/** More rows than fit into the buffers between the gateway and a client that does not read. */
const MANY = 80_000;
const CSV = "text/csv";

let system: ExportSystem;
let many: string;
beforeAll(async () => {
  system = await startExportSystem();
  many = await system.openShop("Many");
  await insertDeliveries(system.query, [many], MANY);
});
afterAll(() => system?.close());

const path = () => `/operator/webhook-deliveries?merchantId=${many}`;

/** An answer with an unread body. */
async function open(): Promise<IncomingMessage> {
  const authorization = `Bearer ${await system.identity.token()}`;
  return await new Promise((resolve, reject) => {
    const headers = { authorization, accept: CSV };
    request({ host: "127.0.0.1", port: system.operatorPort, path: path(), headers, agent: false }, resolve)
      .on("error", reject)
      .end();
  });
}

test("what arrives while the file is read is not in it, and all lists share the places for files", async () => {
  const answer = await open();
  expect((await system.ask("operator", "merchants", { accept: CSV })).status).toBe(503);
  await insertDeliveries(system.query, [many], 10);
  const [, ...rows] = (await textOf(answer)).trimEnd().split("\r\n");
  expect(rows.pop()).toMatch(new RegExp(`^#rows,${MANY},+$`));
  expect(new Set(rows.map((row) => row.slice(0, 36))).size).toBe(MANY);
});

test("a file whose next page nobody can read is cut off, and never looks whole", async () => {
  const answer = await open();
  await system.dispatcher.stop();
  await expect(textOf(answer)).rejects.toThrow("aborted");
});
