import { freePort } from "@holdfast/sandbox/infrastructure";
import { eventually } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { http } from "../../test/http-client.ts";
import { startTestGateway } from "../../test/test-gateway.ts";

test("refused sign-ins and requests without the role are counted for the alerts, from none on", async () => {
  const gateway = await startTestGateway();
  onTestFinished(() => gateway.stop());
  const [merchant, operator] = [await freePort(), await freePort()];
  const healths = [await freePort(), await freePort()] as const;
  await gateway.spawnAnother("gateway-merchant", {
    HEALTH_PORT: `${healths[0]}`,
    MERCHANT_API_PORT: `${merchant}`,
    FAILED_SIGN_INS_PER_MINUTE_PER_IP: "1",
  });
  await gateway.spawnAnother("gateway-operator", {
    HEALTH_PORT: `${healths[1]}`,
    OPERATOR_API_PORT: `${operator}`,
  });
  const counts = async () => {
    const metrics = await Promise.all(healths.map((health) => http(health, { path: "/metrics" })));
    const text = metrics.map((answer) => answer.text).join("\n");
    const lines = text.matchAll(/^holdfast_access_refused_total\{(.*)\} (\d+)/gm);
    return Object.fromEntries(
      [...lines].map(([, labels = "", count]) => [
        ["listener", "reason"].map((name) => new RegExp(`\\b${name}="(\\w+)"`).exec(labels)?.[1]).join(" "),
        Number(count),
      ]),
    );
  };
  const none = { unauthorized: 0, locked: 0, forbidden: 0 };
  const of = (listener: string, reasons: typeof none) =>
    Object.fromEntries(Object.entries(reasons).map(([reason, count]) => [`${listener} ${reason}`, count]));
  expect(await counts()).toEqual({ ...of("merchant", none), ...of("operator", none) });

  const viewer = `Bearer ${await gateway.identity.token({ claims: { roles: ["viewer"] } })}`;
  await http(merchant, { path: "/api/payment/x" });
  await http(merchant, { path: "/api/payment/x" });
  await http(merchant, { path: "/api/payment/x" });
  await http(operator, { path: "/operator/merchants" });
  await http(operator, { method: "POST", path: "/operator/merchants", headers: { authorization: viewer } });
  await eventually(async () =>
    expect(await counts()).toEqual({
      ...of("merchant", { ...none, unauthorized: 1, locked: 2 }),
      ...of("operator", { ...none, unauthorized: 1, forbidden: 1 }),
    }),
  );
});
