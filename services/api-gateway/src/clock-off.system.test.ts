import { randomUUID } from "node:crypto";
import { GATEWAY_LISTENERS } from "@holdfast/contracts";
import { createShiftedClock, eventually, type ShiftedClock } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { preAuthorizationBody } from "../test/builders.ts";
import { http } from "../test/http-client.ts";
import { expectProblem } from "../test/problems.ts";
import { JSON_TYPE, startTestGateway } from "../test/test-gateway.ts";
import { startTestPayments } from "../test/test-payments.ts";

test("a gateway that is 15 s behind forwards nothing on any listener, and does once its clock is right", async () => {
  const gateway = await startTestGateway();
  onTestFinished(() => gateway.stop());
  const payments = await startTestPayments(gateway.nats.url);
  onTestFinished(() => payments.stop());
  const { headers } = await gateway.createMerchant();
  const operator = { authorization: `Bearer ${await gateway.identity.token()}` };
  const clocks: ShiftedClock[] = [];
  const ports: number[] = [];
  for (const listener of GATEWAY_LISTENERS) {
    const clock = await createShiftedClock(-15_000);
    onTestFinished(() => clock.close());
    const child = await gateway.spawnAnother(listener, clock.env);
    clocks.push(clock);
    ports.push(Number(/"listener":"\w+","port":(\d+)/.exec(child.logTail())?.[1]));
  }
  const [merchantPort, operatorPort, publicPort] = ports as [number, number, number];

  const pay = () =>
    http(merchantPort, {
      method: "POST",
      path: "/api/pre-authorization",
      headers: { ...headers, ...JSON_TYPE },
      body: preAuthorizationBody(),
    });
  const look = () => http(merchantPort, { path: `/api/payment/${randomUUID()}`, headers });
  const refused = [
    await pay(),
    await look(),
    await http(operatorPort, { path: "/operator/payments?unresolved=true", headers: operator }),
    await http(operatorPort, {
      method: "POST",
      path: `/operator/refunds/${randomUUID()}/approve`,
      headers: { ...operator, ...JSON_TYPE },
      body: "{}",
    }),
  ];
  for (const answer of refused) expectProblem(answer, "service_unavailable");
  const page = await http(publicPort, { path: `/checkout/${randomUUID()}` });
  expect(page).toMatchObject({ status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
  expect(payments.received).toEqual([]);
  expect(payments.lookups).toEqual([]);
  expectProblem(await http(merchantPort, { path: "/api/nowhere" }), "unauthorized");
  for (const clock of clocks) {
    const ready = await clock.health("/readyz");
    expect([ready.status, JSON.parse(ready.text)]).toEqual([
      503,
      { status: "not ready", failing: ["clock"] },
    ]);
    clock.set(0);
  }
  await eventually(async () => expect((await pay()).status).toBe(201));
  for (const clock of clocks) {
    await eventually(async () => expect((await clock.health("/readyz")).status).toBe(200));
  }
});
