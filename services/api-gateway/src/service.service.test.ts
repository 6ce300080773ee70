import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { operations } from "@holdfast/contracts";
import { connectBus, handler, serve } from "@holdfast/messaging";
import { eventually, makeTestCertificates, holdfast } from "@holdfast/tests/support";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { preAuthorizationBody } from "../test/builders.ts";
import { http, type HttpAnswer } from "../test/http-client.ts";
import { expectProblem } from "../test/problems.ts";
import { JSON_TYPE, startTestGateway, type TestGateway, type TestMerchant } from "../test/test-gateway.ts";
import { startTestPayments } from "../test/test-payments.ts";
import { sendOverTls } from "../test/tls-client.ts";

async function setUp(settings: Record<string, string> = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(settings);
  onTestFinished(() => gateway.stop());
  return gateway;
}

function preAuthorize(gateway: TestGateway, { headers }: TestMerchant): Promise<HttpAnswer> {
  return gateway.merchantApi({
    method: "POST",
    path: "/api/pre-authorization",
    headers: { ...headers, ...JSON_TYPE },
    body: preAuthorizationBody(),
  });
}

async function ready({ ports }: TestGateway): Promise<unknown> {
  return (await http(ports.health, { path: "/readyz" })).body;
}

describe("when payments does not answer", () => {
  test("because nobody serves it: 503, without waiting for anybody", async () => {
    // A time longer than the test may take.
    const gateway = await setUp({ HANDLER_TIMEOUT: "59m", REQUEST_TIMEOUT: "1h" });
    const merchant = await gateway.createMerchant();
    const answers = [
      await preAuthorize(gateway, merchant),
      await gateway.merchantApi({
        path: "/api/payment/0199aaaa-0000-7000-8000-000000000001",
        headers: merchant.headers,
      }),
    ];
    for (const answer of answers) {
      expectProblem(answer, "service_unavailable");
      expect(answer.headers["retry-after"]).toBe("1");
    }
  });

  test("in time: 504 with the payment's id, after the deadline that it was given", async () => {
    const gateway = await setUp({ ACQUIRER_TIMEOUT: "1s", HANDLER_TIMEOUT: "2s", REQUEST_TIMEOUT: "3s" });
    const payments = await startTestPayments(gateway.nats.url);
    onTestFinished(() => payments.stop());
    payments.answers.preAuthorize = () => Promise.withResolvers<never>().promise;
    const answer = await preAuthorize(gateway, await gateway.createMerchant());
    expectProblem(answer, "outcome_unknown", { paymentId: payments.received[0]!.payload.paymentId });
    expect(answer.headers["retry-after"]).toBe("10");
    // The time between the two is for the way back.
    expect(payments.received[0]!.context.deadlineAt).toBeLessThan(Date.now());
  });

  test("because the bus is gone: 503, and the gateway is not ready until it is back", async () => {
    const gateway = await setUp();
    const merchant = await gateway.createMerchant();
    await gateway.nats.kill();
    await eventually(async () =>
      expect(await ready(gateway)).toEqual({ status: "not ready", failing: ["bus"] }),
    );
    expectProblem(await preAuthorize(gateway, merchant), "service_unavailable");
    await gateway.nats.restart();
    await eventually(async () => expect(await ready(gateway)).toEqual({ status: "ready" }));
  });
});

test("more requests than it may have under way are 503, and those under way are not touched", async () => {
  const gateway = await setUp({ REQUESTS_IN_FLIGHT_MAX: "2", REQUESTS_IN_FLIGHT_SHARE: "1" });
  const payments = await startTestPayments(gateway.nats.url);
  onTestFinished(() => payments.stop());
  const release = Promise.withResolvers<void>();
  const usual = payments.answers.preAuthorize;
  payments.answers.preAuthorize = async (message) => {
    await release.promise;
    return await usual(message);
  };
  const merchant = await gateway.createMerchant();
  const underway = [preAuthorize(gateway, merchant), preAuthorize(gateway, merchant)];
  await eventually(() => expect(payments.received).toHaveLength(2));
  expectProblem(await preAuthorize(gateway, merchant), "service_unavailable");
  release.resolve();
  expect((await Promise.all(underway)).map(({ status }) => status)).toEqual([201, 201]);
  expect((await preAuthorize(gateway, merchant)).status).toBe(201);
});

test("a command that payments cannot read is our bug, and nothing has come of it", async () => {
  const gateway = await setUp();
  const bus = await connectBus({ url: gateway.nats.url, name: "test-payments" });
  onTestFinished(() => bus.close(1_000));
  const strict = { ...operations.preAuthorize.command, request: z.never() };
  await serve(bus, {
    service: "payments",
    permits: { external: 1, local: 1 },
    onHandled: () => {},
    handlers: [handler(strict, async () => ({ outcome: "in_doubt" }))],
  });
  expectProblem(await preAuthorize(gateway, await gateway.createMerchant()), "internal_error");
});

test("while the operators' keys cannot be had, their API is not available, and the merchants' is", async () => {
  const gateway = await setUp({ OPERATOR_JWKS: "/nowhere/jwks.json" });
  expectProblem(await gateway.operatorApi({ path: "/operator/merchants" }), "service_unavailable");
  expectProblem(await gateway.merchantApi({ path: "/api/nowhere" }), "unauthorized");
});

test("while it drains it is not ready, and answers what is under way", async () => {
  const gateway = await setUp();
  const payments = await startTestPayments(gateway.nats.url);
  onTestFinished(() => payments.stop());
  const release = Promise.withResolvers<void>();
  const usual = payments.answers.preAuthorize;
  payments.answers.preAuthorize = async (message) => {
    await release.promise;
    return await usual(message);
  };
  const underway = preAuthorize(gateway, await gateway.createMerchant());
  await eventually(() => expect(payments.received).toHaveLength(1));
  const stopped = gateway.stopGateway();
  expect(await ready(gateway)).toEqual({ status: "draining" });
  release.resolve();
  expect((await underway).status).toBe(201);
  await stopped;
});

describe("listeners", () => {
  test("speak TLS alone, each of them, where a certificate is given", async () => {
    const { caFile, certFile, keyFile } = await makeTestCertificates();
    const gateway = await setUp({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile });
    const { health, ...ports } = gateway.ports;
    expect(Object.keys(ports)).toEqual(["merchant", "operator", "public", "staff"]);
    for (const port of Object.values(ports)) {
      const answer = sendOverTls(port, { ca: await readFile(caFile) }, HEAD_REQUEST);
      expect(await answer).toMatch(/^HTTP\/1\.1 40[14] /);
      await expect(http(port, { path: "/" })).rejects.toThrow();
    }
    // The kubelet and Prometheus ask here, over plain HTTP; there is nothing to hide.
    expect((await http(health, { path: "/livez" })).status).toBe(200);
  });

  test("for public pages have pages, and no API", async () => {
    const { ports } = await setUp();
    expect(await http(ports.public, { path: "/checkout/x" })).toMatchObject({
      status: 404,
      headers: { "content-type": "text/html; charset=utf-8" },
    });
    for (const path of ["/", "/checkout", "/checkout/x/y", "/api/payment/x", "/operator/merchants"]) {
      expectProblem(await http(ports.public, { path }), "route_not_found");
    }
  });
});

test("it knows the clients behind its proxies, and tells how long it keeps a connection", async () => {
  const gateway = await setUp({ TRUSTED_PROXIES: "127.0.0.0/8", KEEP_ALIVE_TIMEOUT: "7s" });
  const socket = connect(gateway.ports.merchant, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write("GET /api HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^Keep-Alive: timeout=7\r$/m);
  await eventually(() =>
    expect(gateway.requestLines().at(-1)).toMatchObject({ clientAddress: "203.0.113.9" }),
  );
});

test("each listener says in the log that a proxy stands before it which nobody has declared", async () => {
  const gateway = await setUp({ TRUSTED_PROXIES: "none" });
  const { merchant, operator, public: pages } = gateway.ports;
  for (const port of [merchant, operator, pages])
    await http(port, { path: "/", headers: { "x-forwarded-for": "203.0.113.9" } });
  const requests = gateway.requestLines;
  await eventually(() => expect(requests()).toHaveLength(3));
  const msg = "X-Forwarded-For is not read, since TRUSTED_PROXIES names no proxy";
  expect(gateway.lines.filter(({ level }) => level === "error")).toMatchObject(
    ["merchant", "operator", "public"].map((listener) => ({ listener, msg })),
  );
});

test("the process answers its requests under way at SIGTERM and exits 0", async () => {
  const gateway = await setUp();
  const payments = await startTestPayments(gateway.nats.url);
  onTestFinished(() => payments.stop());
  const release = Promise.withResolvers<void>();
  const usual = payments.answers.preAuthorize;
  payments.answers.preAuthorize = async (message) => {
    await release.promise;
    return await usual(message);
  };
  const { headers } = await gateway.createMerchant();
  const [node = "", ...program] = await holdfast("run", "gateway");
  const child = spawn(node, program, {
    env: { ...process.env, ...gateway.envOf("gateway-merchant"), DRAIN_TIMEOUT: "5m" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const exited = once(child, "exit");
  const [, merchantPort] = await eventually(() => /"listener":"merchant","port":(\d+)/.exec(output) ?? false);
  const port = Number(merchantPort);

  const idle = connect(port, "127.0.0.1");
  idle.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(idle, "data");
  const idleClosed = once(idle, "close");
  const request = { method: "POST", path: "/api/pre-authorization", headers: { ...headers, ...JSON_TYPE } };
  const underway = http(port, { ...request, body: preAuthorizationBody() });
  await eventually(() => expect(payments.received).toHaveLength(1));
  child.kill("SIGTERM");
  await eventually(() => expect(http(port, { path: "/" })).rejects.toMatchObject({ code: "ECONNREFUSED" }));
  // The connection that is kept for a next request ends immediately, not with the work under way.
  await idleClosed;
  release.resolve();
  const answer = await underway;
  expect(answer).toMatchObject({ status: 201, headers: { connection: "close" } });
  expect(await exited).toEqual([0, null]);
  expect(output).toContain('"statusCode":201');
});

const HEAD_REQUEST = "GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
