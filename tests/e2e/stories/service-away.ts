import { eventually } from "../../support/index.ts";
import { expect } from "vitest";
import { preAuthorization, type Answer, type RunningSandbox } from "../running-sandbox.ts";

/** Kills the payments service, which the sandbox starts again. */
export async function expectPaymentsMissedAndBack(sandbox: RunningSandbox): Promise<void> {
  const merchant = sandbox.merchant();
  const pay = () => merchant("POST", "/api/pre-authorization", preAuthorization());
  process.kill(sandbox.file.processes["payments"]!, "SIGKILL");
  // A request that was handed to the dying process has an unknown outcome for its 20 seconds; later requests
  // do not. It may still wait when the sandbox ends, and then gets no answer.
  const answers: Answer[] = [];
  const refused = await eventually(
    () => {
      void pay().then(
        (answer) => answers.push(answer),
        () => undefined,
      );
      return answers.find(({ status }) => status === 503) ?? false;
    },
    { everyMs: 100 },
  );
  expect(refused.body).toMatchObject({ code: "service_unavailable" });
  expect(refused.headers.get("Retry-After")).toBe("1");
  await eventually(async () => (await pay()).status === 201);
}
