import { eventually } from "../../support/index.ts";
import { expect } from "vitest";
import { preAuthorization, type RunningSandbox } from "../running-sandbox.ts";

export async function expectNewMerchantServed(sandbox: RunningSandbox): Promise<void> {
  const operator = sandbox.operator();
  const created = await operator("POST", "/operator/merchants", { name: "Book Shop" });
  expect(created.status).toBe(201);
  const merchant = sandbox.merchant(created.body);

  const reserved = await merchant("POST", "/api/pre-authorization", preAuthorization());
  expect(reserved).toMatchObject({ status: 201, body: { status: "SUCCESS", pan: "411111******1111" } });
  const declined = await merchant(
    "POST",
    "/api/pre-authorization",
    preAuthorization({ pan: "4000000000009995" }),
  );
  expect(declined).toMatchObject({ status: 201, body: { status: "FAILED", resultCode: "51" } });

  const demo = sandbox.merchant();
  for (const payment of [reserved, declined]) {
    const location = payment.headers.get("Location")!;
    expect(location).toBe(`/api/payment/${payment.body.paymentId}`);
    expect(await merchant("GET", location)).toMatchObject({ status: 200, text: payment.text });
    expect(await demo("GET", location)).toMatchObject({ status: 404, body: { code: "payment_not_found" } });
  }

  const credential = `/operator/merchants/${created.body.merchantId}/credentials/${created.body.apiKey}`;
  expect((await operator("DELETE", credential)).status).toBe(204);
  await eventually(async () => (await merchant("GET", reserved.headers.get("Location")!)).status === 401);
}
