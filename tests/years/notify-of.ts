import { createHmac } from "node:crypto";
import { operations, takeBankNotification } from "@holdfast/contracts";
import { accountOperators, makeAccount } from "../../services/payments/test/account-operators.ts";
import { eventually } from "../support/index.ts";
import { done } from "./done.ts";
import type { YearsSystem } from "./years-system.ts";

const KEY = "key-of-the-account-s-notifications";

/**
 * A merchant with an account of its own, whose bank accepts a sale and later sends a notification of its
 * decision.
 */
export async function notifyOf(system: YearsSystem): Promise<void> {
  const { url } = system.bank!.acquirer;
  const operators = accountOperators(system, () => url);
  const accountId = await operators.account({ secrets: { notificationKey: KEY } });
  const merchantId = await operators.merchantRoutedTo({ accountId });
  const ofTests = {
    livemode: false,
    protocol: "sim",
    name: "bank of tests",
    currencies: ["TRY"],
    settings: { url },
    secrets: {},
  };
  done(await makeAccount(system, ofTests, "alice"));
  const sale = system.command({ ofMerchant: merchantId });
  await system.bank!.acquirerWill("sale", "pending");
  await system.call(operations.pay.command, sale, { merchant: { merchantId } });
  const body = Buffer.from(JSON.stringify({ reference: sale.paymentId, outcome: "approved" }));
  const signature = createHmac("sha256", KEY).update(body).digest("hex");
  const notification = {
    accountId,
    headers: { "x-sim-signature": signature },
    body: body.toString("base64"),
  };
  await eventually(async () => {
    const { result } = done(await system.askAsGateway(takeBankNotification, notification));
    return result.isGenuine;
  });
}
