import { withClient } from "@holdfast/sandbox/infrastructure";
import { eventually } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { preAuthorizationBody } from "../test/builders.ts";
import { http, type HttpAnswer } from "../test/http-client.ts";
import { expectProblem } from "../test/problems.ts";
import { JSON_TYPE, startTestGateway, type TestGateway, type TestMerchant } from "../test/test-gateway.ts";
import { startTestPayments } from "../test/test-payments.ts";

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

test("without its database it answers 503 to whom it cannot know, serves whom it knows, and comes back", async () => {
  const gateway = await setUp({ CREDENTIAL_CACHE_TTL: "10s" });
  const payments = await startTestPayments(gateway.nats.url);
  onTestFinished(() => payments.stop());
  const [known, other] = [await gateway.createMerchant(), await gateway.createMerchant()];
  expect((await preAuthorize(gateway, known)).status).toBe(201);

  await allowConnections(gateway, false);
  await eventually(async () =>
    expect(await ready(gateway)).toEqual({ status: "not ready", failing: ["database"] }),
  );
  expect((await preAuthorize(gateway, known)).status).toBe(201);
  const refused = [
    await preAuthorize(gateway, other),
    await gateway.operatorApi({ path: "/operator/merchants" }),
    await gateway.operatorApi({ method: "POST", path: "/operator/merchants", body: '{"name": "A shop"}' }),
  ];
  for (const answer of refused) expectProblem(answer, "service_unavailable");
  expectProblem(await gateway.merchantApi({ path: "/api/nowhere" }), "unauthorized");

  await allowConnections(gateway, true);
  expect((await preAuthorize(gateway, other)).status).toBe(201);
  expect(await ready(gateway)).toEqual({ status: "ready" });
});

/** Ends the service's sessions and forbids new ones, or allows them again. */
async function allowConnections({ database }: TestGateway, allow: boolean): Promise<void> {
  const url = new URL(database.superuserUrl);
  url.pathname = "/postgres";
  await withClient(url.href, async (client) => {
    await client.query(`alter database ${database.name} allow_connections ${allow}`);
    if (!allow)
      await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
        database.name,
      ]);
  });
}

test("a database connection that breaks in a statement is 503 where nothing can have changed, else 504", async () => {
  const gateway = await setUp();
  const merchant = await gateway.createMerchant();
  await withClient(gateway.database.superuserUrl, async (blocker) => {
    await blocker.query("begin; lock table gateway.credential");
    const calls = [
      preAuthorize(gateway, merchant),
      gateway.operatorApi({ path: "/operator/merchants" }),
      gateway.operatorApi({ method: "POST", path: `/operator/merchants/${merchant.merchantId}/credentials` }),
    ];
    await eventually(async () => {
      const { rowCount } = await blocker.query(
        "select from pg_locks where not granted and relation = 'gateway.credential'::regclass",
      );
      expect(rowCount).toBe(3);
    });
    gateway.databaseLink.cut();
    gateway.databaseLink.mend();
    const [signIn, list, add] = await Promise.all(calls);
    expectProblem(signIn!, "service_unavailable");
    expectProblem(list!, "service_unavailable");
    expectProblem(add!, "outcome_unknown");
  });
  expect((await gateway.operatorApi({ path: "/operator/merchants" })).status).toBe(200);
});
