import { eventually } from "../support/index.ts";
import { describe, expect, test, vi } from "vitest";
import { bankWill, preAuthorization, runSandbox, type RunningSandbox } from "./running-sandbox.ts";

describe("an order that is sent again without an Idempotency-Key after a 504", () => {
  test("is refused while its payment is undecided, with the payment's id, and is not sent to the bank", async () => {
    for (const [name, value] of Object.entries({
      ACQUIRER_TIMEOUT: "6s",
      HANDLER_TIMEOUT: "7s",
      REQUEST_TIMEOUT: "8s",
      LEASE_DURATION: "10m",
    })) {
      vi.stubEnv(name, value);
    }
    const sandbox = await runSandbox();
    vi.unstubAllEnvs();
    const merchant = sandbox.merchant();
    const order = preAuthorization();
    const pay = () => merchant("POST", "/api/pre-authorization", order);
    await bankWill(sandbox, "hang");
    const first = pay();
    await eventually(async () => (await ledgerOf(sandbox)).length === 1);
    process.kill(sandbox.file.processes["payments"]!, "SIGKILL");
    const lost = await first;
    expect(lost).toMatchObject({ status: 504, body: { code: "outcome_unknown" } });
    const { paymentId } = lost.body;
    const refused = await eventually(async () => {
      const answer = await pay();
      return answer.status === 409 && answer;
    });
    expect(refused.body).toMatchObject({ code: "order_undecided", paymentId });
    expect(refused.headers.get("Retry-After")).toBe("10");
    expect(await merchant("GET", `/api/payment/${paymentId}`)).toMatchObject({
      body: { status: "ENROLLED" },
    });
    expect(await ledgerOf(sandbox)).toMatchObject([{ reference: paymentId }]);
  });
});

/** The bank's ledger. */
async function ledgerOf({ file }: RunningSandbox): Promise<object[]> {
  const lines = (await (await fetch(`${file.acquirerUrl}/ledger`)).text()).split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as object);
}
