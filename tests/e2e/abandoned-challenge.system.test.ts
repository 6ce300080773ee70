import { eventually } from "../support/index.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { open } from "./follow-forms.ts";
import { runSandbox } from "./running-sandbox.ts";
import { enrol, ledger } from "./stories/three-ds.ts";

test("an abandoned challenge is CANCELLED at its end, and a browser that comes late is sent to the failureUrl", async () => {
  vi.stubEnv("THREE_DS_SESSION_DURATION", "1s");
  vi.stubEnv("RECOVERY_SCHEDULE", "100ms,500ms,1s");
  vi.stubEnv("REVERSE_UNSEEN_AFTER", "300ms");
  onTestFinished(() => void vi.unstubAllEnvs());
  const sandbox = await runSandbox();
  const { body } = await enrol(sandbox);
  await eventually(
    async () => {
      const read = await sandbox.merchant()("GET", `/api/payment/${body.paymentId}`);
      return read.body.status === "CANCELLED";
    },
    { everyMs: 200 },
  );
  expect(await ledger(sandbox, body.paymentId)).toEqual(["reverse approved"]);
  expect((await open(body.redirectUrl)).shop?.href).toBe(
    `https://shop.example/no?paymentId=${body.paymentId}&orderId=${body.orderId}`,
  );
});
