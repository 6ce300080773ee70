import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createMutantWorkspace } from "../mutant-workspace.ts";
import { lookThrough } from "./look-through.ts";

/** The search is itself tried: a program that does write the code down is caught. */
const repository = join(import.meta.dirname, "..", "..", "..");

test("an adapter that keeps the code in a field is caught", async () => {
  const workspace = createMutantWorkspace(repository);
  onTestFinished(() => workspace.remove());
  const adapter = "packages/banks/src/nestpay/nestpay-bank.ts";
  workspace.apply([
    {
      file: adapter,
      search: 'return { kind: "challenge", session: nonce,',
      replace: 'return { kind: "challenge", session: `${nonce}:${request.card.cvv}`,',
    },
    {
      file: adapter,
      search: "return this.#order(body, call.expiresAt, call, confidentialOf(instrument));",
      replace: `return this.#order(body, call.expiresAt, call, confidentialOf(instrument)).then((told) =>
      told.kind === "approved" && "cvv" in instrument
        ? { ...told, resultMessage: \`approved \${instrument.cvv}\` }
        : told,
    );`,
    },
  ]);
  const { leaks } = await lookThrough(workspace.root, ["nestpay"]);
  expect(leaks).toContain("cvv in payments.three_ds_session.acquirer_session");
  expect(leaks).toContain("cvv in payments.payment.result_message");
});
