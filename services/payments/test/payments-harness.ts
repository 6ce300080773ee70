import { operations, type PreAuthorizePayment } from "@holdfast/contracts";
import { startTestSystem, type TestBankOptions, type TestSystemOptions } from "@holdfast/tests/support";

export type PaymentsHarness = Awaited<ReturnType<typeof startPaymentsHarness>>;

type PaymentsOptions = TestBankOptions &
  Pick<TestSystemOptions, "log" | "account"> & {
    /** Leaves the service out, since the test starts its processes itself. */
    alone?: boolean;
  };

/** The payments service, and a merchant's requests to it. */
export async function startPaymentsHarness(
  env: Record<string, string> = {},
  { alone = false, log, account, ...bankOptions }: PaymentsOptions = {},
) {
  const system = await startTestSystem({
    services: ["payments"],
    ...(alone && { running: [] }),
    env,
    ...(log && { log }),
    ...(account !== undefined && { account }),
    bank: bankOptions,
    commission: { ratePercent: "2.50", fixed: "0.25", currency: "TRY" },
  });
  const { call, request, context, merchantId } = system;
  const bank = system.bank!;
  return {
    ...system,
    ...bank,
    /** A further process of the service on the same database and bus. */
    startAnother: (more?: Record<string, string>) => system.start("payments", more),
    send: (command: PreAuthorizePayment, given = context()) =>
      request(operations.preAuthorize.command, given, command),
    read: (paymentId: string, readerId = merchantId) =>
      call(operations.getPayment.command, { paymentId }, { merchant: { merchantId: readerId } }),
    ledger: async (paymentId: string) =>
      (await bank.wholeLedger()).filter(({ reference }) => reference.startsWith(paymentId)),
  };
}
