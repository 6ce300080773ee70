import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectCommonHeaders, expectProblem } from "../../test/problems.ts";
import { merchantOf, startTestGateway, type TestGateway } from "../../test/test-gateway.ts";

const NOWHERE = "0199aaaa-0000-7000-8000-000000000001";

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startTestGateway({ CREDENTIAL_CACHE_TTL: "10s" })));
afterAll(() => gateway.stop());

/** True if a merchant's call gets past the sign-in. */
async function signsIn({ headers }: { headers: Record<string, string> }): Promise<boolean> {
  return (await gateway.merchantApi({ path: "/api/nowhere", headers })).status === 404;
}

describe("credentials", () => {
  test("a second pair works beside the first until one is revoked, which acts at once here", async () => {
    const first = await gateway.createMerchant();
    const path = `/operator/merchants/${first.merchantId}/credentials`;
    const answer = await gateway.operatorApi({ method: "POST", path });
    const second = merchantOf(answer);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      merchantId: first.merchantId,
      apiKey: second.apiKey,
      livemode: true,
      apiSecret: second.apiSecret,
    });
    expect([await signsIn(first), await signsIn(second)]).toEqual([true, true]);

    const revoked = await gateway.operatorApi({ method: "DELETE", path: `${path}/${first.apiKey}` });
    expect(revoked).toMatchObject({ status: 204, text: "" });
    expectCommonHeaders(revoked);
    await eventually(async () =>
      expect([await signsIn(first), await signsIn(second)]).toEqual([false, true]),
    );
  });

  test("one with an end and addresses signs in within them alone, shows them, and the day of its last use", async () => {
    const { merchantId } = await gateway.createMerchant();
    const path = `/operator/merchants/${merchantId}`;
    const add = async (body: object) =>
      await gateway.operatorApi({
        method: "POST",
        path: `${path}/credentials`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const here = merchantOf(await add({ expiresAt, addresses: ["127.0.0.0/8", "::1/128"] }));
    const elsewhere = merchantOf(await add({ addresses: ["203.0.113.0/24"] }));
    expect([await signsIn(here), await signsIn(elsewhere)]).toEqual([true, false]);
    const shown = async () =>
      (
        (await gateway.operatorApi({ path })).body as {
          credentials: { apiKey: string; lastUsedOn?: string }[];
        }
      ).credentials;
    await eventually(async () =>
      expect((await shown()).find(({ apiKey }) => apiKey === here.apiKey)).toMatchObject({
        expiresAt,
        addresses: ["127.0.0.0/8", "::1/128"],
        lastUsedOn: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      }),
    );
    const unused = (await shown()).find(({ apiKey }) => apiKey === elsewhere.apiKey);
    expect(unused).not.toHaveProperty("lastUsedOn");
    for (const body of [
      { expiresAt: new Date(Date.now() - 1_000).toISOString() },
      { addresses: [] },
      { addresses: ["203.0.113.7"] },
      { addresses: ["203.0.113.0/33"] },
      { addresses: ["0.0.0.0/0"] },
      { addresses: ["::/00"] },
      { addresses: ["fe80::1%eth0/64"] },
    ])
      expect(await add(body)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  });

  test("revoking again changes nothing, not even the time", async () => {
    const { merchantId, apiKey } = await gateway.createMerchant();
    const path = `/operator/merchants/${merchantId}/credentials/${apiKey}`;
    const revokedAt = async () => {
      expect((await gateway.operatorApi({ method: "DELETE", path })).status).toBe(204);
      const { credentials } = (await gateway.operatorApi({ path: `/operator/merchants/${merchantId}` }))
        .body as { credentials: { revokedAt?: string }[] };
      return credentials[0]!.revokedAt;
    };
    const first = await revokedAt();
    expect(first).toMatch(/Z$/);
    expect(await revokedAt()).toBe(first);
  });

  test("each keeps who issued it; the record shows it, and revoking another one changes nothing", async () => {
    const merchant = await gateway.createMerchant();
    const path = `/operator/merchants/${merchant.merchantId}`;
    const authorization = `Bearer ${await gateway.identity.token({ claims: { sub: "bora" } })}`;
    const added = await gateway.operatorApi({
      method: "POST",
      path: `${path}/credentials`,
      role: null,
      headers: { authorization },
    });
    await gateway.operatorApi({ method: "DELETE", path: `${path}/credentials/${merchant.apiKey}` });
    expect((await gateway.operatorApi({ path })).body).toMatchObject({
      credentials: [
        { apiKey: merchant.apiKey, issuedBy: "olga" },
        { apiKey: merchantOf(added).apiKey, issuedBy: "bora" },
      ],
    });
  });

  test("another merchant's key is not this one's to revoke", async () => {
    const [mine, other] = [await gateway.createMerchant(), await gateway.createMerchant()];
    const path = `/operator/merchants/${mine.merchantId}/credentials/${other.apiKey}`;
    expectProblem(await gateway.operatorApi({ method: "DELETE", path }), "credential_not_found");
    expect(await signsIn(other)).toBe(true);
  });

  test.each(["hk_unknown", "%00", "'"])("there is no credential %s", async (apiKey) => {
    const { merchantId } = await gateway.createMerchant();
    const path = `/operator/merchants/${merchantId}/credentials/${apiKey}`;
    expectProblem(await gateway.operatorApi({ method: "DELETE", path }), "credential_not_found");
  });
});

describe.each([NOWHERE, "x", "%00", "11111111-1111-1111-1111-111111111111"])(
  "there is no merchant %s",
  (id) => {
    test.each([
      ["GET", ""],
      ["POST", "/credentials"],
      ["DELETE", "/credentials/hk_x"],
    ])("%s …%s", async (method, rest) => {
      expectProblem(
        await gateway.operatorApi({ method, path: `/operator/merchants/${id}${rest}` }),
        "merchant_not_found",
      );
    });
  },
);
