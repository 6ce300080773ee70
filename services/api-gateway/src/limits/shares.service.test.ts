import { eventually } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { preAuthorizationBody } from "../../test/builders.ts";
import type { HttpAnswer } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { sendSlowBody } from "../../test/slow-body.ts";
import { JSON_TYPE, startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";
import { startTestPayments } from "../../test/test-payments.ts";

/** A gateway, payments that answer, and two merchants. */
async function setUp(settings: Record<string, string> = {}) {
  const gateway = await startTestGateway(settings);
  const payments = await startTestPayments(gateway.nats.url);
  onTestFinished(async () => {
    await payments.stop();
    await gateway.stop();
  });
  const [noisy, other] = [await gateway.createMerchant(), await gateway.createMerchant()];
  const slowly = (merchant: TestMerchant) =>
    sendSlowBody(gateway.ports.merchant, "/api/pre-authorization", { ...merchant.headers, ...JSON_TYPE });
  return { gateway, payments, noisy, other, slowly };
}

function preAuthorize(gateway: TestGateway, { headers }: TestMerchant): Promise<HttpAnswer> {
  return gateway.merchantApi({
    method: "POST",
    path: "/api/pre-authorization",
    headers: { ...headers, ...JSON_TYPE },
    body: preAuthorizationBody(),
  });
}

const times = <Result>(count: number, work: () => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, work));
const statusesOf = (answers: HttpAnswer[]) => answers.map(({ status }) => status);

test("512 bodies of one merchant that do not arrive take no place from another", async () => {
  const { gateway, noisy, other, slowly } = await setUp({ REQUESTS_IN_FLIGHT_MAX: "512" });
  await times(512, () => slowly(noisy));
  expect(statusesOf(await times(20, () => preAuthorize(gateway, other)))).toEqual(Array(20).fill(201));
  expect((await preAuthorize(gateway, noisy)).status).toBe(201);
});

test("where bodies have no room left, the slowest of the merchant with most gives way, and nobody else's", async () => {
  const { gateway, noisy, other, slowly } = await setUp({ BODIES_IN_FLIGHT_MAX: "4" });
  const ofOther = await slowly(other);
  const [oldest, ...younger] = [await slowly(noisy), await slowly(noisy), await slowly(noisy)];
  expect(statusesOf(await times(1, () => preAuthorize(gateway, other)))).toEqual([201]);
  await eventually(() => expect(oldest.text()).toMatch(/HTTP\/1\.1 408 [^]*"code":"request_timeout"/));
  expect(oldest.text()).toMatch(/^connection: close\r$/im);
  for (const body of [ofOther, ...younger]) expect(body.text()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
});

test("a client that goes away in the middle of its body leaves its room", async () => {
  const { gateway, noisy, other, slowly } = await setUp({ BODIES_IN_FLIGHT_MAX: "2" });
  const [gone, stays] = [await slowly(noisy), await slowly(noisy)];
  gone.socket.destroy();
  await eventually(() => expect(JSON.stringify(gateway.lines)).toContain("/api/pre-authorization"));
  expect((await preAuthorize(gateway, other)).status).toBe(201);
  expect(stays.text()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
});

test("one merchant has a quarter of the places; beyond it its own requests are 503, and another's are not", async () => {
  const { gateway, payments, noisy, other } = await setUp({ REQUESTS_IN_FLIGHT_MAX: "8" });
  const release = Promise.withResolvers<void>();
  const usual = payments.answers.preAuthorize;
  payments.answers.preAuthorize = async (message) => {
    if (message.context.merchant.merchantId === noisy.merchantId) await release.promise;
    return await usual(message);
  };
  const underway = [preAuthorize(gateway, noisy), preAuthorize(gateway, noisy)];
  await eventually(() => expect(payments.received).toHaveLength(2));
  for (const answer of await times(6, () => preAuthorize(gateway, noisy))) {
    expectProblem(answer, "service_unavailable");
    expect(answer.headers["retry-after"]).toBe("1");
  }
  expect(statusesOf(await times(2, () => preAuthorize(gateway, other)))).toEqual([201, 201]);
  release.resolve();
  expect(statusesOf(await Promise.all(underway))).toEqual([201, 201]);
  expect((await preAuthorize(gateway, noisy)).status).toBe(201);
});
