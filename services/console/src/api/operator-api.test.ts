import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { operations } from "@holdfast/contracts";
import { expect, onTestFinished, test } from "vitest";
import { createOperatorApi, OperatorApiUnavailableError, operatorApiWire } from "./operator-api.ts";

/** A gateway that begins one answer, and gives none to anything else. */
async function startStand() {
  const begun: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.headers.accept !== "text/csv") return;
    response.writeHead(200, { "Content-Type": "text/csv" }).write("merchantId\r\n");
    begun.push(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    begun,
    api: createOperatorApi(operatorApiWire(`http://127.0.0.1:${port}`, 2_000, undefined), "t"),
  };
}

test("a file takes longer than the wait for an answer, once its answer has begun", async () => {
  const { api, begun } = await startStand();
  const { body } = await api.download(operations.listMerchants, "text/csv", {});
  // A question that is asked later is given up meanwhile.
  await expect(api.read(operations.getAuditLog)).rejects.toThrow(OperatorApiUnavailableError);
  begun[0]!.end("#rows\r\n");
  expect(await text(body)).toBe("merchantId\r\n#rows\r\n");
});
