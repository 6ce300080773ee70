// A chain that its owner rewrites is consistent in itself: only heads that were kept elsewhere reveal it. So
// every service with a chain has to write its heads, which its wiring decides and no other test covers.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { auditHeadIn } from "@holdfast/audit";
import { readAuditLog } from "@holdfast/contracts";
import { expect, onTestFinished, test } from "vitest";
import { captureLog, eventually, startTestSystem, type LogLine } from "../support/index.ts";

/** Keeps each request, as a sink that only appends. */
async function startSink() {
  const kept: string[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    kept.push((await request.toArray()).join(""));
    response.writeHead(201).end();
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { kept, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads` };
}

const SERVICES = ["payments", "refunds", "webhook-dispatcher", "settlement", "gateway-operator"] as const;
const CHAINS = ["payments", "refunds", "webhooks", "settlement", "gateway"] as const;

test("every service with an audit log writes its heads to its own log and to the sink", async () => {
  const sink = await startSink();
  const logs = SERVICES.map((service) => captureLog(service));
  const system = await startTestSystem({
    services: SERVICES,
    running: ["payments", "refunds", "webhook-dispatcher", "settlement"],
    env: { AUDIT_ANCHOR_URL: sink.url },
    log: (service) => logs[SERVICES.indexOf(service as (typeof SERVICES)[number])]!.log,
  });
  onTestFinished(() => system.close());
  const gateway = await system.start("gateway-operator");

  // The attempts are refused for lack of a role, and are lines of the audit log anyway.
  for (const command of [
    readAuditLog.payments,
    readAuditLog.refunds,
    readAuditLog.webhooks,
    readAuditLog.settlement,
  ]) {
    await system.request(command, await system.operatorContext("nobody", []), { limit: 1 });
    await system.operate(command, { limit: 1 });
  }
  const created = await fetch(`http://127.0.0.1:${gateway.port}/operator/merchants`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${await system.identity.token()}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ name: "A shop" }),
  });
  expect(created.status).toBe(201);

  for (const [index, chain] of CHAINS.entries()) {
    const [newest] = await system.query<{ sequence: string; hash: Buffer }>(
      `select sequence, hash from ${chain}.audit_entry order by sequence desc limit 1`,
    );
    const head = {
      chain,
      sequence: Number(newest!.sequence),
      hash: newest!.hash.toString("hex"),
      at: expect.any(String) as string,
    };
    await eventually(() => expect(headsOf(logs[index]!.lines)).toContainEqual(head));
    await eventually(() => expect(sink.kept.map((line) => auditHeadIn(line))).toContainEqual(head));
  }
});

/** The heads that `verify-audit --anchors` finds in a service's log. */
function headsOf(lines: LogLine[]) {
  return lines.flatMap((line) => auditHeadIn(JSON.stringify(line)) ?? []);
}
